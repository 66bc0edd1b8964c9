import type { Clock, Timer } from '../../../base/clock/index.ts';

/**
 * Lines of writers of one object after a conflict, in order of arrival. Without a line, each of n concurrent
 * writers would read, change and validate again for every faster one: n² attempts. A writer without conflict
 * joins no line and pays nothing.
 */
export interface WriteLines {
  /** True if writers of the key are in line. */
  has(key: string): boolean;
  /** Resolves when all earlier writers have had their turn. */
  join(key: string): Promise<Turn>;
}

/** A writer's turn in its line. It must be ended whatever the outcome of the write. */
export interface Turn {
  /** False once it has ended, or was passed to the next writer. */
  readonly isOn: boolean;
  end(): void;
}

/**
 * Maximum milliseconds of a turn while others wait. A write may itself wait for a webhook that writes the
 * same object: it continues alongside the next one.
 */
const LONGEST_TURN_MS = 1_000;

interface Waiting {
  readonly turn: OwnTurn;
  readonly admit: (turn: Turn) => void;
}

/** Creates lines that exist only while writers are in them. */
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

/** A line with a current turn; an empty line is removed. */
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
