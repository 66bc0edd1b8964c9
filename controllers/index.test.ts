import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { selectControllers } from '../runtime/index.ts';
import { createControllers } from './index.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const settings = { signers: new Map(), serviceAccountKey: privateKey, rootCa: '' };
const selected = (selection: readonly string[], bootstrapTokens: boolean) =>
  selectControllers(createControllers({ ...settings, bootstrapTokens }), selection)
    .map(({ name }) => name)
    .filter((name) => name === 'bootstrapsigner' || name === 'tokencleaner');

test.each([
  [true, ['*'], ['bootstrapsigner', 'tokencleaner']],
  [true, ['*', '-tokencleaner'], ['bootstrapsigner']],
  [false, ['*'], []],
  [false, ['*', 'tokencleaner'], ['tokencleaner']],
  [false, ['*', 'bootstrapsigner', 'tokencleaner'], ['bootstrapsigner', 'tokencleaner']],
  [false, ['tokencleaner'], ['tokencleaner']],
])(
  'createControllers with bootstrap tokens %j and the selection %j runs the bootstrap controllers %j',
  (on, selection, chosen) => {
    expect(selected(selection, on)).toEqual(chosen);
  },
);
