import { commonFlags } from './flag-tables.ts';
import { integer, text, toggle } from './flags.ts';

/** Range of seeds that `createSeededRandom` distinguishes. */
export const SEEDS = { min: 0, max: 2 ** 32 - 1 };

export const chaosProxyFlags = {
  plan: text('', 'file with what goes wrong and when, YAML or JSON'),
  seed: integer(0, 'what is undecided in the plan is drawn from', SEEDS),
  journal: text('', 'file that each fault is written to when it strikes, one JSON object a line'),
  replay: text(
    '',
    'journal of an earlier run with the same plan, whose faults strike again in place of the seed',
  ),
  target: text('', 'address of the API server; default that in --kubeconfig'),
  'target-ca-file': text(
    '',
    "PEM bundle that the API server is verified with; default that in --kubeconfig, else the machine's roots",
  ),
  'insecure-skip-tls-verify': toggle(false, 'whether the API server is not verified'),
  kubeconfig: text(
    '',
    'client configuration whose credentials are shown to the API server for clients of --kubeconfig-out',
  ),
  'kubeconfig-out': text('', 'file to write a client configuration to, for the controller under test'),
  'bind-address': text('127.0.0.1', 'address to listen on'),
  port: integer(0, 'port to listen on; 0 takes a free one', { min: 0, max: 65_535 }),
  'tls-cert-file': text('', 'PEM certificate to serve with; default one that is made at each start'),
  'tls-private-key-file': text('', 'PEM key of --tls-cert-file'),
  http2: toggle(true, 'whether HTTP/2 is offered besides HTTP/1.1'),
  vocabulary: commonFlags.vocabulary,
  v: commonFlags.v,
};
