import type { Clock, Timer } from '../../../base/clock/clock.ts';

/**
 * Writers of one object that have met, one after the other in the order they came: all at once, each would read, change and
 * validate anew for every other that was faster, the square of their number. Who never meets another joins no line and
 * pays nothing.
 */
export interface WriteLines {
  /** Whether writers of the key stand in line. */
  has(key: string): boolean;
  /** Resolves when all who came before have had their turn. */
  join(key: string): Promise<Turn>;
}

/** To be ended by whoever got it, however the write has gone. */
export interface Turn {
  /** False once it has ended, or has been given to the next. */
  readonly isOn: boolean;
  end(): void;
}

/**
 * Milliseconds a turn lasts at most while others wait. A write may itself wait, for a webhook that writes the same object: it
 * goes on, beside the next.
 */
const LONGEST_TURN_MS = 1_000;

interface Waiting {
  readonly turn: OwnTurn;
  readonly admit: (turn: Turn) => void;
}

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

/** Has a turn that is on, or nobody in it and is gone. */
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
    this.#patience = this.#clock.setTimeout(() => this.#next(), LONGEST_TURN_MS);
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
