import type { Clock, Timer } from '../../../base/clock/index.ts';

/**
 * Queues of writers of one object after a conflict, in order of arrival. Without a queue, each of n
 * concurrent writers would read, change and validate again for every faster writer: n² attempts. A writer
 * without conflict joins no queue and pays nothing.
 */
export interface WriteLines {
  /** True if writers of the key are queued. */
  has(key: string): boolean;
  /** Resolves when all earlier writers have had their turn. */
  join(key: string): Promise<Turn>;
}

/** Turn of a writer in its queue. The writer must end it whatever the outcome of the write. */
export interface Turn {
  /** False once the turn has ended or was passed to the next writer. */
  readonly isOn: boolean;
  end(): void;
}

/**
 * Maximum length of a turn in milliseconds while other writers wait. A write may wait for a webhook that
 * writes the same object; the queue then admits that write alongside it.
 */
const MAX_TURN_MS = 1_000;

interface Waiting {
  readonly turn: OwnTurn;
  readonly admit: (turn: Turn) => void;
}

/** Creates queues that exist only while they have writers. */
export function createWriteLines(clock: Clock): WriteLines {
  const lines = new Map<string, Line>();
  return {
    has: (key) => lines.size > 0 && lines.has(key),
    join(key) {
      let line = lines.get(key);
      if (line === undefined) lines.set(key, (line = new Line(clock, () => lines.delete(key))));
      return line.join();
    },
  };
}

/** Queue with a current turn. An empty queue is removed. */
class Line {
  readonly #clock: Clock;
  readonly #onEmpty: () => void;
  readonly #waiting: Waiting[] = [];
  #current: OwnTurn | undefined;
  #patience: Timer | undefined;

  constructor(clock: Clock, onEmpty: () => void) {
    this.#clock = clock;
    this.#onEmpty = onEmpty;
  }

  join(): Promise<Turn> {
    const turn = new OwnTurn(this);
    if (this.#current === undefined) {
      this.#current = turn;
      return Promise.resolve(turn);
    }
    return new Promise((admit) => {
      this.#waiting.push({ turn, admit });
      if (this.#waiting.length === 1) this.#limit();
    });
  }

  isOn(turn: OwnTurn): boolean {
    return this.#current === turn;
  }

  end(turn: OwnTurn): void {
    if (this.#current === turn) this.#next();
  }

  #next(): void {
    this.#clock.clearTimeout(this.#patience);
    const next = this.#waiting.shift();
    this.#current = next?.turn;
    if (next === undefined) {
      this.#onEmpty();
      return;
    }
    next.admit(next.turn);
    if (this.#waiting.length > 0) this.#limit();
  }

  #limit(): void {
    this.#patience = this.#clock.setTimeout(() => this.#next(), MAX_TURN_MS);
  }
}

class OwnTurn implements Turn {
  readonly #line: Line;

  constructor(line: Line) {
    this.#line = line;
  }

  get isOn(): boolean {
    return this.#line.isOn(this);
  }

  end(): void {
    this.#line.end(this);
  }
}
