import { describe, it } from 'vitest';
import { LONG } from '../long.ts';
import { findPacked } from './clients.ts';
import { describeSession } from './session/play.ts';

const what = 'the session of kubectl 1.31';

// Every run covers the oldest and the newest client, which show most of what this one would.
if (LONG) describeSession(await findPacked('kubectl', 31, what));
else describe(what, () => it.skip('runs only in a full run'));
