import { type ListenerTls, createListener } from '../../apiserver/http/index.ts';
import { vocabularyOf } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { OutboundPeer } from '../../base/http/index.ts';
import { type Lifetime, Lifetimes } from '../../base/lifetime/index.ts';
import {
  type UpstreamCredentials,
  createChaosProxy,
  createEarlierAnswers,
  createInterception,
} from '../../chaos/proxy/index.ts';
import { type ClientConfig, createUndiciOutbound, loadKubeconfig } from '../../runtime/client/index.ts';
import { type PlanAtWork, openPlan } from './plan.ts';
import { configFor, selfMade } from './proxy-identity.ts';
import { judgedFlags } from './judged-flags.ts';
import { chaosProxyFlags } from './proxy-flags.ts';
import { readRequired, writePrivate } from '../files/files.ts';
import { listeningUrl } from '../program/listening-url.ts';
import { type FlagValues, UsageError, filePair, parseFlags } from '../flags/flags.ts';
import { outboundPeer } from '../program/outbound-peer.ts';
import { announcement, createEnvironment, runDaemon } from '../program/program.ts';

type Flags = FlagValues<typeof chaosProxyFlags>;

const rest = (): Promise<void> => Promise.resolve();

/** Runs `orch chaos proxy`. Resolves with the exit code 0 after a requested stop. */
export async function chaosProxy(argv: readonly string[]): Promise<number> {
  const split = argv.indexOf('--');
  const flags = parseFlags(chaosProxyFlags, split < 0 ? argv : argv.slice(0, split));
  const command = commandOf(flags.run, split < 0 ? [] : argv.slice(split + 1));
  if (command !== undefined) {
    // Imported on first use, because most uses of the proxy do not need it.
    const { judgeCommand } = await import('./judged.ts');
    return judgeCommand(flags, command, createEnvironment('chaos-proxy', flags.v));
  }
  requireProxyFlags(flags);
  if (flags.plan === '') throw new UsageError('--plan is missing; expected a fault plan file');
  const environment = createEnvironment('chaos-proxy', flags.v);
  return runDaemon(environment, () => assemble(flags, environment));
}

/** Returns the command to start; undefined if the user starts the controller. */
function commandOf(
  run: string,
  argv: readonly string[],
): readonly [program: string, ...argv: readonly string[]] | undefined {
  const [program, ...rest] = argv;
  if (run !== '' && program !== undefined)
    throw new UsageError('--run and a command after -- exclude each other');
  if (program !== undefined) return [program, ...rest];
  return run === '' ? undefined : ['/bin/sh', '-c', run];
}

/** Throws `UsageError` for flags that require a command. */
function requireProxyFlags(flags: Flags): void {
  for (const name of Object.keys(judgedFlags) as (keyof typeof judgedFlags)[])
    if (flags[name] !== judgedFlags[name].fallback)
      throw new UsageError(`--${name} needs --run or a command after --`);
}

async function assemble(flags: Flags, environment: Environment): Promise<Lifetimes> {
  const { clock, log } = environment;
  const upstream = await readUpstream(flags, environment);
  const plan = await openPlan(flags, environment);
  const outbound = createUndiciOutbound();
  const { tls, caPem } = await servingTls(flags, environment);
  const token = upstream.credentials && Buffer.from(environment.random.bytes(32)).toString('base64url');
  const older = createEarlierAnswers(clock);
  const handler = createChaosProxy({
    ...upstream,
    ...(upstream.credentials && token && { lent: { token, credentials: upstream.credentials } }),
    outbound,
    interception: createInterception({ strikes: plan.strikes, older, clock, log }),
    log,
  });
  const { port, http2 } = flags;
  const listener = createListener({ handler, host: flags['bind-address'], port, tls, http2, clock, log });
  const url = (): string => listeningUrl(listener.address());
  const out = flags['kubeconfig-out'];
  const config: Lifetime = {
    name: 'client configuration',
    start: async () => {
      if (out !== '') await writePrivate(out, configFor(url(), caPem, token));
    },
    stop: rest,
  };
  const target = `${upstream.target.origin}${upstream.basePath}`;
  const hint = out === '' ? '' : `; client configuration in ${out}`;
  const ready = announcement(() => `ready ${url()} — passes on to ${target} with ${plan.about}${hint}`);
  const connections = { name: 'outbound', start: rest, stop: () => outbound.close() };
  return new Lifetimes([plan, connections, listener, config, farewell(plan), ready], { clock });
}

/** Lifetime that prints the number of injected faults when it stops. */
const farewell = (plan: PlanAtWork): Lifetime => ({
  name: 'tally of strikes',
  start: rest,
  stop: async () => void process.stdout.write(`injected: ${plan.tally()}\n`),
});

interface Upstream {
  readonly target: Omit<OutboundPeer, 'certificate' | 'key'>;
  readonly basePath: string;
  /** Returns the credentials for the upstream server; undefined if clients send their own credentials. */
  readonly credentials?: () => Promise<UpstreamCredentials>;
}

async function readUpstream(flags: Flags, { clock }: Environment): Promise<Upstream> {
  const config = flags.kubeconfig === '' ? undefined : await readConfig(flags, clock);
  const server = flags.target === '' ? config?.server : flags.target;
  if (server === undefined) throw new UsageError('no API server: expected --target or --kubeconfig');
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new UsageError(
      `invalid address ${JSON.stringify(server)} of the API server: expected an address such as https://127.0.0.1:6443`,
    );
  const caFile = flags['target-ca-file'];
  const tls = {
    ...config?.tls,
    ...(caFile !== '' && { ca: await readRequired(caFile) }),
    ...(flags['insecure-skip-tls-verify'] && { insecure: true }),
  };
  return {
    target: outboundPeer(url.origin, tls),
    basePath: url.pathname.replace(/\/+$/, ''),
    ...(config && { credentials: () => config.credentials.get() }),
  };
}

async function readConfig(flags: Flags, clock: Environment['clock']): Promise<ClientConfig> {
  const path = flags.kubeconfig;
  const config = await loadKubeconfig(await readRequired(path), {
    path,
    readFile: readRequired,
    vocabulary: vocabularyOf(flags.vocabulary),
    clock,
    environment: process.env,
  });
  if (config.impersonate !== undefined)
    throw new UsageError(
      `${path}: impersonation (as) is not forwarded; configure it in the controller under test`,
    );
  return config;
}

/**
 * Returns the serving certificate and the CA with which clients verify it. The CA is undefined if the user
 * provides the certificate.
 */
async function servingTls(
  flags: Flags,
  environment: Environment,
): Promise<{ readonly tls: ListenerTls; readonly caPem: string | undefined }> {
  const files = filePair(flags, 'tls-cert-file', 'tls-private-key-file');
  if (files === undefined) return selfMade(flags['bind-address'], environment);
  const [cert, key] = files;
  return { tls: { cert: await readRequired(cert), key: await readRequired(key) }, caPem: undefined };
}
