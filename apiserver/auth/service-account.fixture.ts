import { generateKeyPairSync } from 'node:crypto';
import { expect } from 'vitest';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { TokenRequest } from '../../api/types/authentication-v1.ts';
import { kubernetesVocabulary as v } from '../../api/vocabulary/vocabulary.ts';
import { createSimulatedClock } from '../../base/clock/simulated.ts';
import { createMetrics } from '../../base/metrics/metrics.ts';
import { createTokenIssuer } from '../../base/tokens/issuer.ts';
import { fixtureReader } from '../authorization/reader.fixture.ts';
import type { RequestContext } from '../request.ts';
import { rejectionReason } from './rejection.ts';
import { createServiceAccountAuthenticator } from './service-account.ts';
import { createTokenCacheMetrics } from './token-memory.ts';
import { createTokenRequestHandler } from './token-request.ts';
import { ApiError } from '../../api/status/api-error.ts';

/** Start time of the simulated clock, in milliseconds since the epoch. */
export const START = Date.UTC(2026, 0, 1);

/** Issuer of the test tokens. */
export const ISSUER = 'https://issuer';

/** Audiences of the API server. */
export const AUDIENCES = ['api'];

/** Key pair that signs and verifies valid tokens. */
export const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Key pair that the server does not trust. */
export const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** Issuer of valid tokens. */
export const issuer = createTokenIssuer({ privateKey, issuer: ISSUER, names: v });

/** Returns a request context that collects warnings. */
export const context = (warnings: string[] = []): RequestContext =>
  ({ warnings }) as unknown as RequestContext;

/** Creates an authenticator and a token request handler that read the same objects. */
export function setUp() {
  const clock = createSimulatedClock(START);
  const serviceAccounts = fixtureReader<ServiceAccount>([
    { metadata: { namespace: 'ns', name: 'robot', uid: 'u1' } },
  ]);
  const secrets = fixtureReader<Secret>([{ metadata: { namespace: 'ns', name: 's', uid: 'u3' } }]);
  const pods = fixtureReader<Pod>([
    {
      metadata: { namespace: 'ns', name: 'p', uid: 'u2' },
      spec: { containers: [], serviceAccountName: 'robot' },
    },
  ]);
  const objects = { vocabulary: v, clock, serviceAccounts, secrets, pods };
  const metrics = createMetrics();
  const authenticator = createServiceAccountAuthenticator({
    ...objects,
    metrics,
    tokenCache: createTokenCacheMetrics(metrics, clock),
    publicKeys: [stranger.publicKey, publicKey],
    issuers: [ISSUER],
    apiAudiences: AUDIENCES,
  });
  const request = createTokenRequestHandler({ ...objects, issuer, apiAudiences: AUDIENCES });
  const ask = async (
    spec: Partial<TokenRequest['spec']> = {},
    warnings: string[] = [],
    metadata: TokenRequest['metadata'] = {},
  ) =>
    (await request.handle(
      context(warnings),
      { metadata, spec } as TokenRequest,
      'ns',
      'robot',
    )) as TokenRequest;
  const token = async (spec: Partial<TokenRequest['spec']> = {}): Promise<string> =>
    (await ask(spec)).status?.token ?? '';
  return { clock, metrics, serviceAccounts, secrets, pods, authenticator, ask, token };
}

/** Returns the reason for which a promise is rejected. */
export const refused = async (promise: Promise<unknown>): Promise<string> => {
  const thrown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(ApiError);
  expect((thrown as ApiError).message).toBe('Unauthorized');
  return rejectionReason(thrown as ApiError);
};
