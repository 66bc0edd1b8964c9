import { describe, expect, it } from 'vitest';
import { slowStart } from './slow-start.ts';

/** Returns the sizes of the started batches and the error. */
async function batches(count: number, fails: (index: number) => boolean = () => false) {
  const sizes: number[] = [];
  let open = 0;
  const run = async (index: number): Promise<void> => {
    if (open++ === 0) sizes.push(0);
    sizes[sizes.length - 1] = (sizes.at(-1) ?? 0) + 1;
    await Promise.resolve();
    open--;
    if (fails(index)) throw new Error(`no ${index}`);
  };
  const error = await slowStart(count, run).catch((thrown: unknown) => String(thrown));
  return { sizes, error };
}

describe('slowStart', () => {
  it.each([
    [0, []],
    [1, [1]],
    [2, [1, 1]],
    [10, [1, 2, 4, 3]],
    [15, [1, 2, 4, 8]],
  ])('makes %d calls in batches of %j', async (count, sizes) => {
    expect(await batches(count)).toEqual({ sizes, error: undefined });
  });

  it('stops after a failed batch and rejects with its first error', async () => {
    expect(await batches(100, (index) => index >= 4)).toEqual({ sizes: [1, 2, 4], error: 'Error: no 4' });
  });
});
