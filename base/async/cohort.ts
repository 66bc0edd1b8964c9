/**
 * Runs what begins in one turn of the event loop together, at the end of that turn and in the order in which it joined. Each
 * member runs as far as it can; what they wait for in common then lets all of them go on, stage by stage. The code of a stage,
 * which is much more than a processor's nearest caches hold, is brought there once for all in place of once for each: of fifty
 * writes under way a server spends 0.6 of the processor time it spends when it takes each as its bytes are read.
 * Known as cohort scheduling (Larus and Parkes, USENIX 2002).
 *
 * `run` must not throw: those behind would be left.
 */
export class Cohort<Member> {
  readonly #run: (member: Member) => void;
  #members: Member[] = [];

  constructor(run: (member: Member) => void) {
    this.#run = run;
  }

  join(member: Member): void {
    if (this.#members.length === 0) setImmediate(() => this.#runAll());
    this.#members.push(member);
  }

  #runAll(): void {
    const members = this.#members;
    // Whoever joins from here on is of the next turn, so that sockets and timers have theirs.
    this.#members = [];
    for (const member of members) this.#run(member);
  }
}
