import type { DeepReadonly } from '../../api/kinds/index.ts';
import { notFound } from '../../api/status/index.ts';
import type { ServiceAccount } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import type { Random } from '../../base/random/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionRequest } from '../request.ts';
import { refusal } from './refusal.ts';

/** Name of the account of pods that name none. */
export const DEFAULT_ACCOUNT = 'default';
/** Attempts to find the default account, which a controller creates shortly after its namespace. */
const DEFAULT_ACCOUNT_TRIES = 10;
/** Minimum milliseconds between two attempts; a random pause of up to as long again is added once per pod. */
const DEFAULT_ACCOUNT_PAUSE_MS = 100;

/** Readers and environment of the look-up. */
export interface AccountLookupOptions {
  readonly serviceAccounts: ObjectReader<ServiceAccount>;
  readonly vocabulary: Vocabulary;
  readonly random: Random;
  readonly clock: Clock;
}

/** Finds the account of a pod. Throws the refusal if it does not exist. */
export type AccountLookup = (
  request: DeepReadonly<AdmissionRequest>,
  name: string,
  signal: AbortSignal,
) => Promise<DeepReadonly<ServiceAccount>>;

/** Creates a look-up in the cache first, then past it. */
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
