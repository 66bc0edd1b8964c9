import { findKubectl } from './clients.ts';
import { describeSession } from './session/play.ts';

// Debian's kubectl, 1.20, where the whole project is tested.
describeSession(findKubectl("the session of the machine's own kubectl"));
