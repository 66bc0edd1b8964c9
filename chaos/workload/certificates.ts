import { createCertificateRequest, generateKeyPair } from '../../base/pki/index.ts';
import { toTime } from '../../base/clock/index.ts';
import type { Action } from '../world/user.ts';
import {
  HOUR,
  MINUTE,
  type Making,
  type Part,
  SECOND,
  SHORT_MS,
  create,
  encoded,
  later,
  oneOf,
  once,
  patch,
  remove,
  sometime,
} from './parts.ts';

export const CSRS = 'certificates/certificatesigningrequests';

/** Requests by subject, created once per process, because no decision depends on their keys. */
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

/**
 * Part: certificate requests for all signers, undecided, approved or denied, both new and about to expire.
 */
export const certificateRequests: Part = (making) => {
  const { random } = making;
  return Array.from({ length: 2 + random.int(3) }, (_, i) => request(making, `csr-${i}`))
    .flat()
    .concat(
      // A request of the same name is recreated.
      once(random, 2) ? recreated(making, 'csr-0') : [],
    );
};

/**
 * Possible ages: undecided requests live for a day, decided ones for an hour. These expire within the run or
 * soon after.
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
  const { random, vocabulary, startMs, untilMs, endsMs } = making;
  const isShort = endsMs < SHORT_MS;
  const ageMs = oneOf(random, agesMs(isShort ? Math.round(untilMs / 2) : 10 * MINUTE));
  const bornMs = ageMs > 0 ? -ageMs : sometime(making);
  const signer = oneOf(random, ['apiserverClient', 'nodeClient', 'nodeServing', 'legacyUnknown'] as const);
  const ofNode = signer === 'nodeClient' || signer === 'nodeServing';
  const posted = create(bornMs, CSRS, '', name, {
    spec: {
      request: ofNode ? requestFor('system:node:n1', ['system:nodes']) : requestFor('jane', []),
      signerName: vocabulary.signers[signer],
      usages: [
        'digital signature',
        'key encipherment',
        signer === 'nodeServing' ? 'server auth' : 'client auth',
      ],
      ...(once(random, 3) && { expirationSeconds: oneOf(random, [600, 3_600]) }),
    },
  });
  const decidedMs =
    bornMs < 0
      ? once(random, 2)
        ? bornMs + (isShort ? SECOND : MINUTE)
        : sometime(making)
      : later(making, bornMs);
  if (once(random, 3)) return [posted];
  const decided = decision(decidedMs, name, once(random, 3) ? 'Denied' : 'Approved', startMs);
  // A change of a request that has its certificate enqueues it.
  const touched = once(random, 3)
    ? [
        patch(later(making, Math.max(0, decidedMs)), CSRS, '', name, {
          metadata: { labels: { seen: 'yes' } },
        }),
      ]
    : [];
  return [posted, decided, ...touched];
}

/** Returns a user's decision. */
export const decision = (
  atMs: number,
  name: string,
  type: 'Approved' | 'Denied',
  startMs: number,
): Action => ({
  atMs,
  verb: 'patch',
  resource: CSRS,
  subresource: 'approval',
  name,
  patch: {
    status: {
      conditions: [
        {
          type,
          status: 'True',
          reason: 'ByUser',
          message: 'decided',
          lastUpdateTime: toTime(startMs + atMs),
        },
      ],
    },
  },
});

function recreated(making: Making, name: string): readonly Action[] {
  const goneMs = sometime(making);
  return [
    remove(goneMs, CSRS, '', name),
    create(goneMs + 1_000, CSRS, '', name, {
      spec: {
        request: requestFor('joe', []),
        signerName: making.vocabulary.signers.apiserverClient,
        usages: ['digital signature', 'key encipherment', 'client auth'],
      },
    }),
  ];
}
