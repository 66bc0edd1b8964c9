import type { ControllerModel } from './controller-model.ts';
import { HiddenMemoryError, differenceOf } from './hidden-memory.ts';
import { hiddenPlaces } from './hidden-places.ts';

/** One execution of controller code that can be repeated with the same visible inputs. */
export interface Execution {
  /** Names the code, such as `effect observe of {"key":"team/a"}`. */
  readonly what: () => string;
  /** Result as plain JSON. */
  readonly result: unknown;
  /** Repeats the execution on an instance of the controller and returns the result. */
  readonly again: (model: ControllerModel) => Promise<unknown>;
}

/** Maximum number of executions that are kept; beyond it, every second one is dropped, evenly. */
const MOST_KEPT = 512;

/** Evenly distributed sample of all executions of a search. */
export interface Executions {
  note(execution: Execution): void;
  /** Returns at most `most` executions, evenly distributed. */
  sample(most: number): readonly Execution[];
}

export function createExecutions(): Executions {
  let kept: Execution[] = [];
  let stride = 1;
  let seen = 0;
  return {
    note(execution) {
      if (seen++ % stride !== 0) return;
      kept.push(execution);
      if (kept.length <= MOST_KEPT) return;
      kept = kept.filter((_, at) => at % 2 === 0);
      stride *= 2;
    },
    sample(most) {
      const step = Math.max(1, kept.length / most);
      return Array.from(
        { length: Math.min(most, kept.length) },
        (_, nth) => kept[Math.floor(nth * step)],
      ).filter((each) => each !== undefined);
    },
  };
}

/**
 * Repeats executions and throws `HiddenMemoryError` at the first result that differs from the recorded one.
 *
 * Each runs on the instance that the search used, in which hidden memory has accumulated, and on a new one, in
 * which there is none. Code that depends only on what the explorer restores has the same result on both.
 */
export async function verifyExecutions(
  executions: readonly Execution[],
  used: ControllerModel,
  create: () => Promise<ControllerModel>,
): Promise<void> {
  for (const execution of executions)
    for (const instance of ['used', 'new'] as const) {
      const model = instance === 'used' ? used : await create();
      const found = await repeated(execution, model);
      const path = differenceOf(execution.result, found);
      if (path === undefined) continue;
      const places = await hiddenPlaces(used, await create(), () => execution.again(used));
      throw new HiddenMemoryError(
        `${execution.what()} depends on memory that is not in a Map or Set of the effects factory: ` +
          `repeated on ${instance === 'used' ? 'the same' : 'a new'} instance, it differs in ${path || 'its result'}` +
          (places.length === 0 ? '' : `; suspected: ${places.join(', ')}`),
      );
    }
}

async function repeated(execution: Execution, model: ControllerModel): Promise<unknown> {
  try {
    return await execution.again(model);
  } catch (thrown) {
    if (thrown instanceof HiddenMemoryError) return { threw: thrown.message };
    throw thrown;
  }
}
