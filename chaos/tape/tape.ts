import { CodedError } from '../../base/errors/index.ts';
import type { Random } from '../../base/random/index.ts';

/** Draws one of `n` options for a new choice. */
export type Draw = (random: Random, n: number) => number;

/** A choice of an option other than the calm one, which is option 0. */
export interface Deviation {
  /** Number of choices before this one. */
  readonly at: number;
  readonly label: string;
  /** Number of choices with the same label before this one. */
  readonly nth: number;
  /** Number of options. */
  readonly of: number;
  /** Chosen option, 1 to `of` - 1. */
  readonly took: number;
}

/**
 * Source of every nondeterministic decision in a simulated world.
 *
 * Option 0 of each choice is the calm one: no delay, no failure. A run is described by its deviations from
 * the calm run; the fewer it has, the simpler it is.
 */
export interface Tape {
  /**
   * Returns an option from 0 to `n` - 1. `label` names the choice and is the same at the same place of the
   * code. `draw` defaults to a uniform draw.
   */
  choose(label: string, n: number, draw?: Draw): number;
  /** Returns all choices so far except the calm ones. */
  deviations(): readonly Deviation[];
  /** Number of choices made. */
  readonly draws: number;
}

export type TapeErrorCode = 'ERR_NONDETERMINISM' | 'ERR_TAPE_CHOICE';

/** Error of a replay that differs from its record, or of a choice from zero options. */
class TapeError extends CodedError<TapeErrorCode> {}

/** Returns the option that is taken in one choice. */
type Source = (choice: Omit<Deviation, 'took'>, draw: Draw) => number;

const alike: Draw = (random, n) => random.int(n);

class SourcedTape implements Tape {
  readonly #source: Source;
  readonly #made = new Map<string, number>();
  readonly #deviations: Deviation[] = [];
  #draws = 0;

  constructor(source: Source) {
    this.#source = source;
  }

  get draws(): number {
    return this.#draws;
  }

  choose(label: string, of: number, draw: Draw = alike): number {
    if (!(of >= 1))
      throw new TapeError('ERR_TAPE_CHOICE', `${label}: a choice among ${of}, expected at least 1`);
    const nth = this.#made.get(label) ?? 0;
    this.#made.set(label, nth + 1);
    const at = this.#draws++;
    const took = this.#source({ at, label, nth, of }, draw);
    if (took !== 0) this.#deviations.push({ at, label, nth, of, took });
    return took;
  }

  deviations(): readonly Deviation[] {
    return this.#deviations;
  }
}

const createTape = (source: Source): Tape => new SourcedTape(source);

/** Creates a tape of random choices. */
export const randomTape = (random: Random): Tape => createTape(({ of }, draw) => draw(random, of));

/**
 * Creates a tape that repeats a record exactly.
 *
 * Throws `ERR_NONDETERMINISM` at the first choice that differs from the record. Then some decision of the run
 * did not come from the tape.
 */
export function recordedTape(record: readonly Deviation[]): Tape {
  let next = 0;
  return createTape(({ at, label, of }) => {
    const expected = record[next];
    if (expected === undefined || at < expected.at) return 0;
    if (expected.label !== label || expected.of !== of)
      throw new TapeError(
        'ERR_NONDETERMINISM',
        `choice ${at} was ${JSON.stringify(expected.label)} among ${expected.of} and is now ${JSON.stringify(label)} among ${of}`,
      );
    next++;
    return expected.took;
  });
}

/**
 * Creates a tape that follows an edited record.
 *
 * A deviation is found by its label and its number among the choices with that label. A deviation is ignored
 * if the run has no such choice or the choice has fewer options.
 */
export function editedTape(record: readonly Deviation[]): Tape {
  const byPlace = new Map(record.map((deviation) => [placeOf(deviation), deviation.took]));
  return createTape((choice) => {
    const took = byPlace.get(placeOf(choice)) ?? 0;
    return took < choice.of ? took : 0;
  });
}

const placeOf = ({ label, nth }: Pick<Deviation, 'label' | 'nth'>): string => `${label}#${nth}`;
