import type { PlainObject } from '../object-path.ts';
import type { ResourceName } from '../view.ts';

/** The fields of an object that decide which acts apply to it. */
export interface ActedObject extends PlainObject {
  readonly spec?: {
    readonly suspend?: boolean;
    readonly signerName?: string;
    /** PEM of a certificate request, in base64. */
    readonly request?: string;
    readonly usages?: readonly string[];
    readonly jobTemplate?: {
      readonly metadata?: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec?: object;
    };
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status?: string;
}

/** An object with the controller keys that belong to it. */
export interface ActSubject {
  readonly resource: ResourceName;
  /** Name in the form `namespace/name` or `name`. */
  readonly name: string;
  /** The object as last read; undefined if it does not exist. */
  readonly object: ActedObject | undefined;
  readonly keys: readonly ControllerKey[];
}

/** One key of one controller. */
export interface ControllerKey {
  readonly controller: string;
  readonly key: string;
}

/** Names that depend on the vocabulary, and a random suffix for names of new objects. */
export interface ActContext {
  readonly certificatesGroup: string;
  readonly instantiateAnnotation: string;
  readonly suffix: () => string;
}

/** Attributes of a SelfSubjectAccessReview. An access with a `path` is for a non-resource URL. */
export interface Access {
  readonly verb: string;
  readonly path?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** A right that an act needs. It is held if any of the accesses is allowed. */
export interface Need {
  readonly text: string;
  readonly anyOf: readonly Access[];
}

/** Request that performs an act. */
export interface ActRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly contentType?: string;
  readonly body?: object;
}

/** Something that a user may do to an object, as data. */
export interface Act {
  /** Text of the button, unique among the acts of a subject. */
  readonly label: string;
  /** Sentence about the effect. */
  readonly effect: string;
  readonly needs: readonly Need[];
  /** Message after success. */
  readonly done: string;
  /** Warning that the user must confirm. Without one, the act needs no confirmation. */
  readonly warning?: string;
  readonly isDangerous?: boolean;
  /** True if the content of the certificate request must be readable before the act. */
  readonly needsReadableRequest?: boolean;
  /** Builds the request. Called once, when the user performs the act. */
  readonly request: () => ActRequest;
}

/** Source of the acts of a kind. Returns an empty list for a subject to which it does not apply. */
export type ActSource = (subject: ActSubject, context: ActContext) => readonly Act[];

export const MERGE_PATCH = 'application/merge-patch+json';
export const JSON_TYPE = 'application/json';
