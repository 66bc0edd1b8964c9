import { describe, it } from 'vitest';
import { LONG } from '../long.ts';
import { findPacked } from './clients.ts';
import { describeSession } from './session/play.ts';

const what = 'the session of kubectl 1.31';

// The oldest and the newest, which every run has, show most of what this one would.
if (LONG) describeSession(await findPacked('kubectl', 31, what));
else describe(what, () => it.skip('is played where tests run at their full sizes'));
