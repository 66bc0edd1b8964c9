import { findKubectl } from './clients.ts';
import { describeSession } from './session/play.ts';

// The kubectl of Debian is 1.20 on the machine where the whole project is tested.
describeSession(findKubectl("the session of the machine's own kubectl"));
