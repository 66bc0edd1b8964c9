import { CodedError } from '../../base/errors/coded.ts';
import type { Random } from '../../base/random/random.ts';

/** Draws one of `n` for a choice that is made for the first time. */
export type Draw = (random: Random, n: number) => number;

/** One choice that was not the calm one. */
export interface Deviation {
  /** How many choices were made before it. */
  readonly at: number;
  readonly label: string;
  /** How many choices with this label were made before it. */
  readonly nth: number;
  /** Among how many it chose. */
  readonly of: number;
  /** What was taken, 1 to `of` - 1. */
  readonly took: number;
}

/**
 * Where every nondeterministic decision of a simulated world comes from. Of each choice the first, 0, is the calm one:
 * nothing is late, nothing fails. So a run is told by where it deviates from the calm one, and a run with fewer
 * deviations is a simpler one.
 */
export interface Tape {
  /** One of 0 to `n` - 1. `label` says what is chosen, the same for the same kind of place. `draw` defaults to all alike. */
  choose(label: string, n: number, draw?: Draw): number;
  /** What has been chosen so far, but for the calm choices. */
  deviations(): readonly Deviation[];
  /** How many choices were made. */
  readonly draws: number;
}

export type TapeErrorCode = 'ERR_NONDETERMINISM' | 'ERR_TAPE_CHOICE';

/** A replay made another choice than the record, or a choice among nothing was asked for. */
class TapeError extends CodedError<TapeErrorCode> {}

/** Answers one choice. */
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

/** Chooses by chance. */
export const randomTape = (random: Random): Tape => createTape(({ of }, draw) => draw(random, of));

/**
 * Chooses as a record does, to the letter. Throws `ERR_NONDETERMINISM` at the first choice of the record that comes up
 * otherwise than it was recorded: what decides there does not come from the tape.
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
 * Chooses as an edited record does: a deviation is found again by its label and how many choices of that label were made
 * before it, wherever it has moved to; one whose place never comes up, or has fewer choices, is passed over.
 */
export function editedTape(record: readonly Deviation[]): Tape {
  const byPlace = new Map(record.map((deviation) => [placeOf(deviation), deviation.took]));
  return createTape((choice) => {
    const took = byPlace.get(placeOf(choice)) ?? 0;
    return took < choice.of ? took : 0;
  });
}

const placeOf = ({ label, nth }: Pick<Deviation, 'label' | 'nth'>): string => `${label}#${nth}`;
