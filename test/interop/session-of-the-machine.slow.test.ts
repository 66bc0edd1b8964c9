import { findKubectl } from './clients.ts';
import { describeSession } from './session/play.ts';

// Debian's, 1.20, where the project is tested as a whole.
describeSession(findKubectl("the session of the machine's own kubectl"));
