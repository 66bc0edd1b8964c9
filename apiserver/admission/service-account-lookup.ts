import type { DeepReadonly } from '../../api/kinds/index.ts';
import { notFound } from '../../api/status/index.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionRequest } from '../request.ts';
import { refusal } from './refusal.ts';

export const DEFAULT_ACCOUNT = 'default';
/** How often the default account is looked for: a controller makes it, a moment after its namespace. */
const DEFAULT_ACCOUNT_TRIES = 10;
/** Milliseconds between two looks: at least so many, and up to as many more, drawn once a pod. */
const DEFAULT_ACCOUNT_PAUSE_MS = 100;

export interface AccountLookupOptions {
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
  readonly clock: Clock;
}

/** Finds the account of a pod, or refuses the pod. */
export type AccountLookup = (
  request: DeepReadonly<AdmissionRequest>,
  name: string,
  signal: AbortSignal,
) => Promise<DeepReadonly<ServiceAccount>>;

export function createAccountLookup({
  serviceAccounts,
  vocabulary,
  random,
  clock,
}: AccountLookupOptions): AccountLookup {
  return async (request, name, signal) => {
    const { namespace } = request;
    const cached = serviceAccounts.get(namespace, name);
    if (cached !== undefined) return cached;
    const tries = name === DEFAULT_ACCOUNT ? DEFAULT_ACCOUNT_TRIES : 1;
    const pauseMs = DEFAULT_ACCOUNT_PAUSE_MS + random.int(DEFAULT_ACCOUNT_PAUSE_MS);
    for (let attempt = 1; attempt <= tries; attempt++) {
      if (attempt > 1) await sleep(clock, pauseMs, signal);
      const found = await serviceAccounts.live(namespace, name);
      if (found !== undefined) return found;
    }
    const { message } = notFound({ group: '', resource: 'serviceaccount' }, name);
    throw refusal(request, vocabulary, `error looking up service account ${namespace}/${name}: ${message}`);
  };
}
