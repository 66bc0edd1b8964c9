import { toTime } from '../../base/clock/index.ts';
import { createCertificateRequest, generateKeyPair } from '../../base/pki/index.ts';
import type { Action } from '../world/user.ts';
import { unusualContents } from './certificate-shapes.ts';
import { ABSENT, MOST } from './fields.ts';
import { lifeOf } from './life.ts';
import {
  HOUR,
  MINUTE,
  type Making,
  type Part,
  SECOND,
  SHORT_MS,
  encoded,
  later,
  patch,
  sometime,
} from './parts.ts';
import type { MoveName, Subject } from './subject.ts';

export const CSRS = 'certificates/certificatesigningrequests';

/**
 * Certificate requests by common name. Created once per process, because no decision depends on their keys.
 */
const requests = new Map<string, string>();
export function requestFor(commonName: string, organizations: readonly string[]): string {
  const known = requests.get(commonName);
  if (known !== undefined) return known;
  const made = encoded(
    createCertificateRequest(generateKeyPair('ec-p256'), { commonName, organizations: [...organizations] }),
  );
  requests.set(commonName, made);
  return made;
}

const SIGNERS = ['apiserverClient', 'apiserverClient', 'nodeClient', 'nodeServing', 'legacyUnknown'] as const;
type Signer = (typeof SIGNERS)[number];

/** Moves of a CertificateSigningRequest. Its spec is immutable. */
const MOVES: readonly MoveName[] = ['touch', 'touch', 'delete', 'replace', 'withdraw'];

/** Returns a CertificateSigningRequest to a signer. */
export function requestTo(making: Making, signer: Signer, name: string, user = 'jane'): Subject {
  const ofNode = signer === 'nodeClient' || signer === 'nodeServing';
  return {
    resource: CSRS,
    namespace: '',
    name,
    base: {
      spec: {
        request: ofNode ? requestFor('system:node:n1', ['system:nodes']) : requestFor(user, []),
        signerName: making.vocabulary.signers[signer],
        usages: [
          'digital signature',
          'key encipherment',
          signer === 'nodeServing' ? 'server auth' : 'client auth',
        ],
      },
    },
    fields: { 'spec.expirationSeconds': [ABSENT, ABSENT, ABSENT, 600, 3_600, MOST] },
    moves: MOVES,
    moveCounts: [0, 0, 1, 1, 2],
  };
}

const withContents = (subject: Subject, contents: object): Subject => {
  const { spec } = subject.base ?? {};
  return { ...subject, base: { ...subject.base, spec: { ...(spec as object | undefined), ...contents } } };
};

type ConditionType = 'Approved' | 'Denied' | 'Failed';

/**
 * Returns the action of a user who sets the given conditions. Several conditions occur if a user overlooks an
 * earlier one.
 */
export const decision = (
  atMs: number,
  name: string,
  types: readonly ConditionType[],
  startMs: number,
  subresource: 'approval' | 'status' = 'approval',
): Action => {
  const lastUpdateTime = toTime(startMs + atMs);
  const conditions = types.map((type) => ({
    type,
    status: 'True',
    reason: 'ByUser',
    message: 'decided',
    lastUpdateTime,
  }));
  return patch(atMs, CSRS, '', name, { status: { conditions } }, subresource);
};

/** Times in milliseconds after a decision at which a controller is likely to act on the decision. */
const RACES_MS = [0, 1, 5, 20, 100, 500];

const DECISIONS = [
  'none',
  'none',
  'approved',
  'approved',
  'denied',
  'failed',
  'approved then failed',
  'approved then denied',
  'denied then approved',
] as const;

/**
 * Draws the decisions about a request: none, one, or two, the second of which arrives while the request is
 * being signed.
 */
function decisionsOf({ draw, startMs }: Making, name: string, decidedMs: number): readonly Action[] {
  const nextMs = decidedMs + draw.one('csr race', RACES_MS);
  const decide = (...types: readonly ConditionType[]): Action => decision(decidedMs, name, types, startMs);
  switch (draw.one('csr decision', DECISIONS)) {
    case 'none':
      return [];
    case 'approved':
      return [decide('Approved')];
    case 'denied':
      return [decide('Denied')];
    case 'failed':
      return [decision(decidedMs, name, ['Failed'], startMs, 'status')];
    case 'approved then failed':
      return [decide('Approved'), decision(nextMs, name, ['Approved', 'Failed'], startMs, 'status')];
    case 'approved then denied':
      return [decide('Approved'), decision(nextMs, name, ['Denied'], startMs)];
    case 'denied then approved':
      return [decide('Denied'), decision(nextMs, name, ['Approved'], startMs)];
  }
}

/**
 * Returns possible ages of requests in milliseconds. An undecided request expires after a day, a decided one
 * after an hour. Most ages make a request expire within the run or soon after.
 */
const agesMs = (nearMs: number): readonly number[] => [
  0,
  0,
  0,
  24 * HOUR - nearMs,
  24 * HOUR + nearMs,
  HOUR - nearMs,
];

function request(making: Making, name: string): readonly Action[] {
  const { draw, untilMs, endsMs } = making;
  const isShort = endsMs < SHORT_MS;
  const ageMs = draw.one('csr age', agesMs(isShort ? Math.round(untilMs / 2) : 10 * MINUTE));
  const bornMs = ageMs > 0 ? -ageMs : sometime(making);
  const decidedMs =
    bornMs >= 0
      ? draw.once('csr decided at once', 3)
        ? bornMs + draw.one('csr race', RACES_MS)
        : later(making, bornMs)
      : draw.once('csr decided early', 2)
        ? bornMs + (isShort ? SECOND : MINUTE)
        : sometime(making);
  const usual = requestTo(making, draw.one('csr signer', SIGNERS), name);
  const subject = draw.once('unusual csr', 3) ? withContents(usual, unusualContents(draw)) : usual;
  return [
    ...lifeOf(making, { ...subject, nextDueMs: () => Math.max(0, decidedMs) }, { bornMs }),
    ...decisionsOf(making, name, decidedMs),
  ];
}

/**
 * Returns actions on CertificateSigningRequests to all signers. They are undecided, approved, denied or
 * failed, and some are about to expire.
 */
export const certificateRequests: Part = (making) =>
  Array.from({ length: making.draw.one('csrs', [2, 3, 4]) }, (_, i) => request(making, `csr-${i}`)).flat();
