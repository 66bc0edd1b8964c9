/** Members that run in one turn: many enough to share the code, few enough that others, and those behind, do not wait long. */
const MOST = 50;

/**
 * Runs what begins in one turn of the event loop together, at the end of that turn and in the order in which it joined. Each
 * member runs as far as it can; what they wait for in common then lets all of them go on, stage by stage. The code of a stage,
 * which is much more than a processor's nearest caches hold, is brought there once for all in place of once for each: of fifty
 * writes under way a server spends 0.6 of the processor time it spends when it takes each as its bytes are read.
 * Known as cohort scheduling (Larus and Parkes, USENIX 2002). Of more than fifty the rest are the next cohort.
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
    if (this.#members.length === 0) setImmediate(this.#runNext);
    this.#members.push(member);
  }

  readonly #runNext = (): void => {
    const members = this.#members;
    // Whoever joins from here on is of a later turn, so that sockets and timers have theirs.
    this.#members = members.length > MOST ? members.splice(MOST) : [];
    // A turn between them: a store writes what those before have given it while the next run.
    if (this.#members.length > 0) setImmediate(() => setImmediate(this.#runNext));
    for (const member of members) this.#run(member);
  };
}
