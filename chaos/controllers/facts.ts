import type { Preference } from '../oracles/choice/preference.ts';
import type { ConditionClaim, EventClaim } from '../oracles/claims/claim.ts';
import type { DueTime } from '../oracles/due/due-time.ts';
import type { Reason } from '../oracles/held/reason.ts';
import type { BackOff } from '../oracles/pace/back-off.ts';

/** Facts about a controller that release 1.24 documents, for the rules of `chaos/oracles`. Default none of each. */
export interface ControllerFacts {
  readonly preferences?: readonly Preference[];
  readonly backOffs?: readonly BackOff[];
  readonly dueTimes?: readonly DueTime[];
  /** Finalizers that the controller removes. */
  readonly reasons?: readonly Reason[];
  readonly conditions?: readonly ConditionClaim[];
  readonly events?: readonly EventClaim[];
  /** True if it must not remove a reference to an existing owner, not even one that controls the object. */
  readonly keepsControllers?: true;
}
