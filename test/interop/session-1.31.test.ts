import { describe, it } from 'vitest';
import { LONG } from '../long.ts';
import { findPacked } from './clients.ts';
import { describeSession } from './session/play.ts';

const what = 'the session of kubectl 1.31';

// Every run includes the oldest and the newest client, which cover most of what this one would.
if (LONG) describeSession(await findPacked('kubectl', 31, what));
else describe(what, () => it.skip('a session with kubectl 1.31 runs only in a full run'));
