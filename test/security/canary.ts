import type { Behaviour } from '../../apiserver/admission/webhook/webhook.fixture.ts';

/** Secret value. No part of it occurs in other data. */
export const CANARY = 'Qz7canary-Qz7canary-Qz7canary';
export const NUMBER = 77_123_456_789;
export const ENCODED = Buffer.from(CANARY).toString('base64');
/** Bearer token of the user. It contains the canary's pattern, so that a leak of the token is found too. */
export const TOKEN = `Qz7c${'t'.repeat(40)}`;

/** Patterns of the value in plain text, base64, hexadecimal, and as byte numbers. */
const SHOWN = [/Qz7c/i, /UXo3Y/, /51 ?7a ?37 ?63/i, /7712345/, /81[ ,]+122[ ,]+55/];

/** Returns the text around the first leak of the canary; undefined if there is no leak. */
export function leakIn(text: string): string | undefined {
  const at = Math.min(...SHOWN.map((each) => text.search(each)).filter((place) => place >= 0));
  return at === Infinity ? undefined : text.slice(Math.max(0, at - 90), at + 50);
}

/** Response of one webhook. All other webhooks allow the write. */
export interface WebhookAnswer {
  readonly sort: 'mutating' | 'validating';
  readonly policy: 'fail' | 'ignore';
  readonly behaviour: Behaviour;
}

/** Request of the sweep, and the failure that it causes in the server. */
export interface CanaryRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Request headers. The user's token is added unless `authorization` is present. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly webhook?: WebhookAnswer;
  /**
   * True if an admission plugin or a virtual handler throws an error whose text contains the whole object.
   */
  readonly defect?: boolean;
  /** True if the body's kind is not confidential, so that audit events may contain it. */
  readonly mayBeAudited?: boolean;
}

/** Yields variants of a string that are truncated, changed or extended at many places. */
export function* broken(text: string): Generator<string> {
  for (let at = 1; at < text.length; at += 17) {
    yield text.slice(0, at);
    yield `${text.slice(0, at)}\u0001${text.slice(at)}`;
    yield `${text.slice(0, at)}"${text.slice(at)}`;
  }
  yield `${text}${text}`;
  yield `[${text}]`;
  yield JSON.stringify(text);
}

/** Returns the content-type header. */
export const typed = (type: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { 'content-type': type },
});

export const SECRETS = '/api/v1/namespaces/default/secrets';
export const STORED = `${SECRETS}/stored`;
const APPLIED = { kind: 'Secret', data: { password: Buffer.from('Qz7canary of before').toString('base64') } };
/** Secret that the requests read and change. */
export const secret = {
  kind: 'Secret',
  apiVersion: 'v1',
  metadata: {
    name: 'stored',
    annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(APPLIED) },
  },
  type: 'Opaque',
  data: { password: ENCODED, number: Buffer.from(String(NUMBER)).toString('base64') },
};

export const METADATA = { metadata: { name: 'stored' } };
/** Returns a whole Secret with the given part. */
export const whole = (part: object): object => ({ kind: 'Secret', apiVersion: 'v1', ...METADATA, ...part });
