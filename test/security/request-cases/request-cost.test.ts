import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LONG } from '../../long.ts';
import { type CostServer, expectWithin, limitsAt, measure, startCostServer } from '../cost.ts';
import { slowness } from '../../processor-time.ts';
import { enabledPlugins, requestCases } from './request-cases.ts';
import { outboundTo, webhookHosts } from './webhook-cases.ts';

// Measures the cost of a request after its body was parsed. Each row is the most expensive input found.

const RUNS = LONG ? 4 : 1;

let server: CostServer;
let slow = 1;
beforeAll(async () => {
  slow = slowness();
  const outbound = outboundTo({
    ...webhookHosts,
    images: () => ({
      kind: 'ImageReview',
      apiVersion: 'imagepolicy.k8s.io/v1alpha1',
      status: { allowed: true },
    }),
  });
  server = await startCostServer({
    outbound,
    admission: {
      enable: enabledPlugins,
      disable: [],
      configuration: new Map([['ImagePolicyWebhook', { imagePolicy: { kubeConfigFile: '/images' } }]]),
    },
    remoteOf: () => ({ peer: { origin: 'https://images' }, path: '/', credentials: async () => ({}) }),
  });
});
afterAll(() => server.stop());

describe('a request that is expensive after its body was parsed', () => {
  it.each(requestCases.map((each) => [each.what, each] as const))(
    'stays within the budget: %s',
    async (_, { prepare, request, status }) => {
      await prepare?.(server);
      const limits = limitsAt(slow);
      const cost = await measure(server, request(), RUNS, limits);

      expect(cost.message).not.toContain('could not handle');
      if (status !== undefined) expect(cost.status).toBe(status);
      expectWithin(cost, limits);
    },
    300_000,
  );
});
