import { readyPlans } from '../../chaos/plan/index.ts';
import { commonFlags } from '../flags/flag-tables.ts';
import { judgedFlags } from './judged-flags.ts';
import { integer, text, toggle } from '../flags/flags.ts';

/** Range of the seeds that `createSeededRandom` distinguishes. */
export const SEEDS = { min: 0, max: 2 ** 32 - 1 };

export const chaosProxyFlags = {
  plan: text(
    '',
    `fault plan file, YAML or JSON; or a ready plan, with a number for its variants, as crash-between:2: ${Object.keys(readyPlans).join(', ')}`,
  ),
  seed: integer(0, 'seed of the random choices in the plan', SEEDS),
  journal: text('', 'file that records each injected fault, one JSON object per line'),
  replay: text(
    '',
    'journal of an earlier run with the same plan, whose faults are injected again instead of using the seed',
  ),
  target: text('', 'address of the API server; default that in --kubeconfig'),
  'target-ca-file': text(
    '',
    "PEM bundle that verifies the API server; default that in --kubeconfig, otherwise the machine's roots",
  ),
  'insecure-skip-tls-verify': toggle(false, 'do not verify the API server'),
  kubeconfig: text(
    '',
    'client configuration whose credentials the proxy uses for clients of --kubeconfig-out',
  ),
  'kubeconfig-out': text('', 'file that receives the client configuration for the controller under test'),
  'bind-address': text('127.0.0.1', 'address to listen on'),
  port: integer(0, 'port to listen on; 0 takes a free one', { min: 0, max: 65_535 }),
  'tls-cert-file': text('', 'PEM certificate to serve with; default a new one at each start'),
  'tls-private-key-file': text('', 'PEM key of --tls-cert-file'),
  http2: toggle(true, 'offer HTTP/2 in addition to HTTP/1.1'),
  ...judgedFlags,
  vocabulary: commonFlags.vocabulary,
  v: commonFlags.v,
};
