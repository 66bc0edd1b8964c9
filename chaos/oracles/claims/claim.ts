import type { ApiObject, DeepReadonly, Kind } from '../../../api/kinds/index.ts';

type Any = DeepReadonly<ApiObject>;

/** A condition that a controller sets, and the fields that it speaks of. */
export interface ConditionClaim {
  readonly id: string;
  readonly says: string;
  readonly kind: Kind<never>;
  readonly type: string;
  readonly reason: string;
  /** True if the object is in the state that the condition states; `nowMs` is the API server's time. */
  readonly isTrue: (object: Any, nowMs: number) => boolean;
  /** True if a quiescent object must not be in that state without the condition; default `isTrue`. */
  readonly isOverdue?: (object: Any, nowMs: number) => boolean;
}

/** Statement of an Event about the object that it concerns, or about another one that it names. */
export interface EventClaim {
  readonly kind: Kind<never>;
  readonly reason: string;
  /** Kind of the object that the message names; default the object that the Event concerns. */
  readonly named?: { readonly kind: Kind<never>; readonly nameIn: (message: string) => string };
  /** True if a version of the object is in the state that the Event states; `'absent'` if it must not exist. */
  readonly isTrue: ((object: Any, message: string) => boolean) | 'absent';
}

interface Conditioned {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
    }[];
  };
}

/** Returns the true condition of a type. */
export const trueCondition = (object: Any | undefined, type: string) =>
  (object as Conditioned | undefined)?.status?.conditions?.find(
    (each) => each.type === type && each.status === 'True',
  );
