import { createApiEndpoints } from '../apiserver/bootstrap/api-endpoints.ts';
import type { Scheme } from '../api/kinds/scheme.ts';
import { type Listener, createListener } from '../apiserver/http/listener.ts';
import type { ApiServer } from '../apiserver/server.ts';
import { expiringPrefixes } from '../apiserver/registry/expiring-kinds.ts';
import { createCompactor } from '../apiserver/storage/compactor.ts';
import { createExpiry } from '../apiserver/storage/expiry.ts';
import type { ComponentHealth } from '../apiserver/aggregation/component-statuses.ts';
import { openLmdbStorage } from '../apiserver/storage/lmdb.ts';
import { stampResourceVersion } from '../apiserver/storage/stamp.ts';
import type { RequestLimits } from '../apiserver/request-limits.ts';
import type { Environment } from '../base/environment.ts';
import { createProcessMetrics } from '../base/metrics/process.ts';
import type { Lifetime } from '../base/lifetime/lifetimes.ts';
import { createUndiciOutbound } from '../runtime/client/undici-outbound.ts';
import { clusterComponents, proxyIdentity, requireCertificates } from './aggregation.ts';
import { readAdmission } from './admission.ts';
import { advertisedAddress } from './advertised.ts';
import { assembleApiServer } from './api-server.ts';
import { readAuthentication } from './authentication.ts';
import { readAuthorization } from './authorization.ts';
import { readAudit } from './audit.ts';
import { readParsed, readRequired } from './files.ts';
import type { apiServerCommandFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import { type Provisioned, writeClientConfigs } from './provision.ts';
import { parseRuntimeConfig } from './runtime-config.ts';

type ApiServerFlags = FlagValues<typeof apiServerCommandFlags>;

/** An API server with its store and its sockets. */
export interface Served {
  readonly server: ApiServer;
  readonly listener: Listener;
  /** In the order they start. */
  readonly lifetimes: readonly Lifetime[];
  /** `https://host:port`; known once the listener has started. */
  url(): string;
}

const rest = async (): Promise<void> => {};

/** Where a server that listens on every address is reached from its own machine. */
const LOOPBACK: { readonly [any: string]: string } = { '0.0.0.0': '127.0.0.1', '::': '::1' };
/** Throws for limits that would let no request through. */
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

/** Opens the store below the data folder and puts the server together from the flags. Throws when another process has it. */
export async function createServed(
  flags: ApiServerFlags,
  scheme: Scheme,
  environment: Environment,
  provisioned: Provisioned,
  /** Where it runs in the same process: how it fares now. */
  controllerManager?: () => ComponentHealth,
): Promise<Served> {
  const { ca, signingCa, serving, serviceAccountKey } = provisioned;
  const certificate = flags['tls-cert-file'];
  if ((certificate === '') !== (flags['tls-private-key-file'] === ''))
    throw new UsageError('--tls-cert-file and --tls-private-key-file go together');
  const tls =
    certificate === ''
      ? { cert: serving.certificate, key: serving.key }
      : { cert: await readRequired(certificate), key: await readRequired(flags['tls-private-key-file']) };
  const clientCaFile = flags['client-ca-file'];
  const own = ca.certificatePem + signingCa.certificatePem;
  // The daemons' own certificates stay good beside a stranger's CA: the client configurations hold them.
  const clientCa =
    clientCaFile === ''
      ? own
      : own + (await readParsed(clientCaFile, 'PEM certificates', requireCertificates));
  const authentication = await readAuthentication(
    flags,
    { clientCa, serviceAccountKey },
    { vocabulary: scheme.vocabulary, clock: environment.clock },
  );
  const proxy = await proxyIdentity(flags, provisioned);
  const outbound = createUndiciOutbound();
  const audit = await readAudit(flags, { ...environment, vocabulary: scheme.vocabulary, outbound });

  const store = await openLmdbStorage({ path: provisioned.paths.store, stamp: stampResourceVersion });
  const { clock, log } = environment;
  const ttlMs = flags['event-ttl'];
  const rules = expiringPrefixes(scheme).map((prefix) => ({ prefix, ttlMs }));
  const expiry = createExpiry({ storage: store, clock, log, rules });
  const { storage } = expiry;
  const intervalMs = flags['store-compaction-interval'];
  const compactor = createCompactor({ storage, clock, log, intervalMs });
  const url = (): string => {
    const { host, port } = listener.address();
    const reached = LOOPBACK[host] ?? host;
    return `https://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
  };
  const server = assembleApiServer({
    scheme,
    environment,
    storage,
    ...authentication,
    serverCa: certificate === '' ? ca.certificatePem : tls.cert,
    serverUrl: () => url(),
    ...proxy,
    outbound,
    components: clusterComponents(storage, outbound, controllerManager),
    authorization: await readAuthorization(flags, scheme.vocabulary, environment),
    audit,
    features: flags['feature-gates'],
    limits: readLimits(flags),
    serviceRanges: {
      addresses: flags['service-cluster-ip-range'],
      nodePorts: flags['service-node-port-range'],
    },
    requestTimeoutMs: flags['request-timeout'],
    shortestWatchMs: flags['min-request-timeout'] * 1000,
    showHiddenMetrics: flags['show-hidden-metrics-for-version'] !== '',
    ...(await readAdmission(flags, { vocabulary: scheme.vocabulary, clock })),
    serves: parseRuntimeConfig(flags['runtime-config'], scheme),
  });
  createProcessMetrics(server.metrics);
  const handshakeErrors = server.metrics
    .counter(
      'apiserver_tls_handshake_errors_total',
      "Number of requests dropped with 'TLS handshake error from' error",
    )
    .at();
  for (const warning of flags['feature-gates'].warnings) log.warn({}, warning);
  const listener = createListener({
    handler: server.handler,
    host: flags['bind-address'],
    port: flags['secure-port'],
    // Clients choose a certificate by the authorities that are named to them.
    tls: { ...tls, clientCa: clientCa + (authentication.authenticatingProxy?.clientCa ?? '') },
    http2: flags.http2,
    clock: environment.clock,
    log: environment.log,
    onHandshakeError: () => handshakeErrors.add(1),
  });
  const apiEndpoints = createApiEndpoints({
    registry: server.registry,
    vocabulary: scheme.vocabulary,
    clock,
    log,
    address: advertisedAddress(flags['advertise-address'], () => listener.address()),
  });
  return {
    server,
    listener,
    url,
    lifetimes: [
      { name: 'storage', start: rest, stop: () => storage.close() },
      { name: 'outbound', start: rest, stop: () => outbound.close() },
      // The port is taken before anything is written, so that a second start on it changes nothing; requests end before
      // the server does, so that watches are told.
      { name: 'port', start: () => listener.start(), stop: rest },
      {
        name: 'client configurations',
        start: () => writeClientConfigs(provisioned, url(), scheme.vocabulary),
        stop: rest,
      },
      server,
      apiEndpoints,
      compactor,
      expiry,
      { name: 'listener', start: rest, stop: () => listener.stop() },
    ],
  };
}
