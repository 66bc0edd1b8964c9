import type { Behaviour } from '../../apiserver/admission/webhook/webhook.fixture.ts';

/** A value of a Secret, of which no part occurs elsewhere. */
export const CANARY = 'Qz7canary-Qz7canary-Qz7canary';
export const NUMBER = 77_123_456_789;
export const ENCODED = Buffer.from(CANARY).toString('base64');
/** A bearer token of the user who sends the requests, recognized as the value is. */
export const TOKEN = `Qz7c${'t'.repeat(40)}`;

/** The value as it is, in base64, in hexadecimal, and as the numbers of its bytes. */
const SHOWN = [/Qz7c/i, /UXo3Y/, /51 ?7a ?37 ?63/i, /7712345/, /81[ ,]+122[ ,]+55/];

/** The text around the first sign of the canary; undefined if there is none. */
export function leakIn(text: string): string | undefined {
  const at = Math.min(...SHOWN.map((each) => text.search(each)).filter((place) => place >= 0));
  return at === Infinity ? undefined : text.slice(Math.max(0, at - 90), at + 50);
}

/** Which of the webhooks answers, and how; all others allow. */
export interface WebhookAnswer {
  readonly sort: 'mutating' | 'validating';
  readonly policy: 'fail' | 'ignore';
  readonly behaviour: Behaviour;
}

/** One request of the sweep, and what goes wrong in the server while it is answered. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  /** Without `authorization` the request has the token of the user. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly webhook?: WebhookAnswer;
  /** An admission plugin, or the handler of a virtual resource, throws an error with the whole object in its text. */
  readonly defect?: boolean;
  /** True if the body belongs to a kind whose objects are not secret: audit events of the higher levels hold it. */
  readonly mayBeAudited?: boolean;
}

/** Texts that are cut, changed or continued at many places. */
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

export const typed = (type: string): { readonly headers: Readonly<Record<string, string>> } => ({
  headers: { 'content-type': type },
});

export const SECRETS = '/api/v1/namespaces/default/secrets';
export const STORED = `${SECRETS}/stored`;
const APPLIED = { kind: 'Secret', data: { password: Buffer.from('Qz7canary of before').toString('base64') } };
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
export const whole = (part: object): object => ({ kind: 'Secret', apiVersion: 'v1', ...METADATA, ...part });
