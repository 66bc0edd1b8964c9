import {
  createApiEndpoints,
  createApiServers,
  createBootstrapWriter,
  ensureAuthorities,
} from '../../apiserver/bootstrap/index.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import {
  type Listener,
  type ListenerOptions,
  type ListenerTls,
  type Stage,
  type TlsProtocol,
  createListener,
  http2CipherSuites,
  tlsProtocol,
} from '../../apiserver/http/index.ts';
import type { ApiServer } from '../../apiserver/server.ts';
import type { Mount } from '../../apiserver/http/stages/index.ts';
import { expiringPrefixes } from '../../apiserver/registry/versions/index.ts';
import { type Storage, createCompactor, createExpiry } from '../../apiserver/storage/index.ts';
import type { ComponentCheck } from '../../apiserver/aggregation/index.ts';
import type { RequestLimits } from '../../apiserver/request-limits.ts';
import type { Environment } from '../../base/environment.ts';
import type { Outbound } from '../../base/http/index.ts';
import { type DialPolicy, createDialPolicy } from '../../base/net/index.ts';
import { type Count, type Metrics, createProcessMetrics } from '../../base/metrics/index.ts';
import type { Lifetime, Live } from '../../base/lifetime/index.ts';
import { createUndiciOutbound } from '../../runtime/client/index.ts';
import { clusterComponents, proxyIdentity, requireCertificates } from './aggregation.ts';
import { readAdmission, uncalledWebhooks } from './admission.ts';
import { advertisedAddress, ownAddresses } from './advertised.ts';
import { assembleApiServer } from '../../apiserver/assembly/index.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import { readAuthentication } from './authentication.ts';
import { readAuthorization } from './authorization.ts';
import { readAudit } from './audit.ts';
import { serverChaos } from '../chaos/plan.ts';
import { readParsed } from '../files/files.ts';
import type { apiServerCommandFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError, filePair } from '../flags/flags.ts';
import { listeningUrl } from '../program/listening-url.ts';
import { type LiveFiles, createLiveFiles, readKeyPair } from '../files/live-files.ts';
import { writeClientConfigs } from '../files/client-configs.ts';
import type { Credential, Provisioned } from '../files/provision.ts';
import { parseRuntimeConfig } from './runtime-config.ts';
import { openStorage } from './storage.ts';
import { readNodeAgents } from './node-agents.ts';

type ApiServerFlags = FlagValues<typeof apiServerCommandFlags>;

/** API server with its store and its sockets. */
export interface Served {
  readonly server: ApiServer;
  readonly listener: Listener;
  /** Parts in their start order. */
  readonly lifetimes: readonly Lifetime[];
  /** Returns `https://host:port`. Known once the listener has started. */
  url(): string;
  /** Returns the newest resource version of the store. */
  revision(): Promise<string>;
  /** Text that is added to the ready line, or ''. */
  readonly notice: string;
}

const rest = async (): Promise<void> => {};
const beginning = (name: string, start: () => Promise<void>): Lifetime => ({ name, start, stop: rest });
const ending = (name: string, stop: () => Promise<void>): Lifetime => ({ name, start: rest, stop });

/** Reads the request limits. Throws if no request would be admitted. */
function readLimits(flags: ApiServerFlags): RequestLimits {
  const maxInFlight = flags['max-requests-inflight'];
  const maxMutatingInFlight = flags['max-mutating-requests-inflight'];
  const fair = flags['enable-priority-and-fairness'];
  if (fair && maxInFlight + maxMutatingInFlight === 0)
    throw new UsageError(
      '--max-requests-inflight and --max-mutating-requests-inflight must add up to more than 0 with --enable-priority-and-fairness',
    );
  if (flags['request-timeout'] <= 0) throw new UsageError('--request-timeout must be more than 0');
  return { maxInFlight, maxMutatingInFlight, fair };
}

/** Returns the serving certificate and the client CA. Files of the flags are read again when they change. */
async function followTls(
  flags: ApiServerFlags,
  { ca, signingCa, serving }: Provisioned,
  live: LiveFiles,
): Promise<{ readonly pair: Live<Credential>; readonly clientCa: Live<string> }> {
  const files = filePair(flags, 'tls-cert-file', 'tls-private-key-file');
  const clientCaFile = flags['client-ca-file'];
  // The daemons' own authorities stay trusted in addition to a configured CA, because the generated client
  // configurations use them.
  const own = ca.certificatePem + signingCa.certificatePem;
  const readClientCa = async (): Promise<string> =>
    own + (await readParsed(clientCaFile, 'PEM certificates', requireCertificates));
  return {
    pair:
      files === undefined
        ? () => serving
        : await live.follow('serving certificate', () => readKeyPair(...files)),
    clientCa: clientCaFile === '' ? () => own : await live.follow('client authorities', readClientCa),
  };
}

/** Reads the TLS settings. Throws for cipher suites that HTTP/2 does not permit. */
function readTlsProtocol(flags: ApiServerFlags): TlsProtocol {
  const suites = flags['tls-cipher-suites'];
  const version = flags['tls-min-version'];
  const isLimited = flags.http2 && version === 'VersionTLS12' && suites.length > 0;
  if (isLimited && !http2CipherSuites.some((name) => suites.includes(name)))
    throw new UsageError(
      `--tls-cipher-suites must name ${http2CipherSuites.join(' or ')} for HTTP/2; there is --http2=false`,
    );
  return tlsProtocol(version, suites);
}

/** Reads features and limits from the flags. */
const readBounds = (flags: ApiServerFlags) => ({
  features: flags['feature-gates'],
  allowPrivileged: flags['allow-privileged'],
  limits: readLimits(flags),
  serviceRanges: {
    addresses: flags['service-cluster-ip-range'],
    nodePorts: flags['service-node-port-range'],
  },
  requestTimeoutMs: flags['request-timeout'],
  shortestWatchMs: flags['min-request-timeout'] * 1000,
  showHiddenMetrics: flags['show-hidden-metrics-for-version'] !== '',
});

/** Declares a counter of connections that failed before TLS was established. */
export const countHandshakeErrors = (metrics: Metrics): Count =>
  metrics
    .counter(
      'apiserver_tls_handshake_errors_total',
      "Number of requests dropped with 'TLS handshake error from' error",
    )
    .at();

function listenerOf(
  { handler, metrics }: ApiServer,
  flags: ApiServerFlags,
  options: Pick<ListenerOptions, 'tls' | 'protocol' | 'clock' | 'log'>,
): Listener {
  const handshakeErrors = countHandshakeErrors(metrics);
  return createListener({
    ...options,
    handler,
    host: flags['bind-address'],
    port: flags['secure-port'],
    http2: flags.http2,
    onHandshakeError: () => handshakeErrors.add(1),
  });
}

export interface ServedOptions {
  readonly flags: ApiServerFlags;
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly provisioned: Provisioned;
  /** Health check of a controller manager in the same process. */
  readonly controllerManager?: ComponentCheck['check'];
  readonly mounts?: readonly Mount[];
  /** Stages after authentication. Default: none. */
  readonly stages?: readonly Stage[];
}

/**
 * Opens the store in the data directory and assembles the server from the flags. Throws if another process
 * uses the store.
 */
export async function createServed(options: ServedOptions): Promise<Served> {
  const { flags, scheme, environment, provisioned } = options;
  const live = createLiveFiles(environment);
  const protocol = readTlsProtocol(flags);
  const { pair, clientCa } = await followTls(flags, provisioned, live);
  const waysOut = createWaysOut(flags, () => listener.address());
  const outbound = waysOut.configuredOutbound;
  const settings = await readSettings(options, { live, clientCa, servingKey: pair().key, outbound });
  const { storage, chaos, keepers } = await openStore(options);
  const url = (): string => listeningUrl(listener.address());
  const server = assembleApiServer({
    ...settings,
    mounts: options.mounts,
    scheme,
    environment,
    storage,
    serverCa: flags['tls-cert-file'] === '' ? provisioned.ca.certificatePem : pair().certificate,
    serverUrl: () => url(),
    ...waysOut,
    components: clusterComponents(storage, outbound, options.controllerManager),
    stages: [...(options.stages ?? []), ...chaos.stages],
  });
  createProcessMetrics(server.metrics);
  const warnings = [...flags['feature-gates'].warnings, ...uncalledWebhooks(flags, settings.serves)];
  for (const warning of warnings) environment.log.warn({}, warning);
  const tls = (): ListenerTls => ({
    cert: pair().certificate,
    key: pair().key,
    // The server names these authorities in the handshake, by which clients select a certificate.
    clientCa: clientCa() + (settings.authenticatingProxy?.clientCa() ?? ''),
  });
  const listener = listenerOf(server, flags, { ...environment, tls: tls(), protocol });
  live.onChange(async () => {
    listener.renew(tls());
    await ensureAuthorities(createBootstrapWriter(server.registry, new AbortController().signal), {
      vocabulary: scheme.vocabulary,
      clientCaPem: clientCa(),
      requestHeader: settings.requestHeader?.(),
    });
  });
  const apiEndpoints = endpointsOf(options, { registry: server.registry, storage, listener });
  return {
    server,
    listener,
    url,
    revision: async () => String(await storage.revision()),
    notice: chaos.notice,
    lifetimes: [
      ending('storage', () => storage.close()),
      ...chaos.lifetimes,
      ...[waysOut.outbound, outbound].map((each) => ending('outbound', () => each.close())),
      // Binds the port before anything is written, so that a second start on the port changes nothing.
      // Requests end before the server stops, so that watches are closed properly.
      beginning('port', () => listener.start()),
      beginning('client configurations', () => writeClientConfigs(provisioned, url(), scheme.vocabulary)),
      server,
      apiEndpoints,
      live,
      ...keepers,
      ending('listener', () => listener.stop()),
    ],
  };
}

/** Creates the transports to addresses that clients select and to services in the flags. */
function createWaysOut(
  flags: ApiServerFlags,
  listening: Listener['address'],
): { readonly outbound: Outbound; readonly configuredOutbound: Outbound; readonly dialPolicy: DialPolicy } {
  const dialPolicy = createDialPolicy({
    allowLoopback: flags['allow-loopback-proxy'],
    own: (port) => ownAddresses(flags, listening(), port),
  });
  return {
    dialPolicy,
    outbound: createUndiciOutbound({ policy: dialPolicy }),
    configuredOutbound: createUndiciOutbound(),
  };
}

/** Reads the settings in the flags and in the files of the flags. */
async function readSettings(
  { flags, scheme, environment, provisioned }: ServedOptions,
  parts: {
    readonly live: LiveFiles;
    readonly clientCa: Live<string>;
    readonly servingKey: string;
    readonly outbound: Outbound;
  },
) {
  const { live, clientCa, servingKey, outbound } = parts;
  const { clock } = environment;
  const { vocabulary } = scheme;
  const { serviceAccountKey } = provisioned;
  return {
    ...(await readAuthentication(
      flags,
      { clientCa, serviceAccountKey, servingKey },
      { vocabulary, clock, live },
    )),
    ...(await proxyIdentity(flags, provisioned, live)),
    audit: await readAudit(flags, { ...environment, vocabulary, outbound }),
    nodeAgents: await readNodeAgents(flags, provisioned, live),
    authorization: await readAuthorization(flags, vocabulary, environment),
    ...readBounds(flags),
    controllerPermissions,
    ...(await readAdmission(flags, { vocabulary, clock })),
    serves: parseRuntimeConfig(flags['runtime-config'], scheme),
  };
}

/** Opens the store, with the faults of a plan if there is one, and with compaction and expiry. */
async function openStore({ flags, scheme, environment, provisioned }: ServedOptions) {
  const { clock, log } = environment;
  const opened = await openStorage(flags, provisioned.paths.store, { ...environment, scheme });
  const ttlMs = flags['event-ttl'];
  const rules = expiringPrefixes(scheme).map((prefix) => ({ prefix, ttlMs }));
  const expiry = createExpiry({ storage: opened, clock, log, rules });
  const { storage } = expiry;
  const chaos = await serverChaos(flags, storage, environment);
  const intervalMs = flags['store-compaction-interval'];
  const compactor = createCompactor({ storage, clock, log, intervalMs });
  return { storage, chaos, keepers: [compactor, expiry] };
}

const endpointsOf = (
  { flags, scheme, environment: { clock, log } }: ServedOptions,
  parts: {
    readonly registry: ApiServer['registry'];
    readonly storage: Storage;
    readonly listener: Listener;
  },
): Lifetime =>
  createApiEndpoints({
    registry: parts.registry,
    vocabulary: scheme.vocabulary,
    clock,
    log,
    address: advertisedAddress(flags['advertise-address'], () => parts.listener.address()),
    ...(flags['etcd-servers'].length > 0 && {
      servers: createApiServers({ storage: parts.storage, clock }),
    }),
  });
