import { findPacked } from './clients.ts';
import { describeSession } from './session/play.ts';

describeSession(await findPacked('kubectl', 34, 'the session of kubectl 1.34'));
