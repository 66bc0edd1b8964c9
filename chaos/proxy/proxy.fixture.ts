import { builtinKinds } from '../../api/groups/index.ts';
import { createScheme } from '../../api/kinds/scheme.ts';
import { orchVocabulary } from '../../api/vocabulary/vocabulary.ts';
import { assembleApiServer } from '../../apiserver/assembly/api-server.ts';
import { controllerPermissions } from '../../controllers/manifests.ts';
import { type Listener, createListener } from '../../apiserver/http/listener/listener.ts';
import { createMemoryStorage } from '../../apiserver/storage/memory.ts';
import { stampResourceVersion } from '../../apiserver/storage/stamp.ts';
import { createSystemClock } from '../../base/clock/system.ts';
import type { HttpHandler } from '../../base/http/message.ts';
import { silentLogger } from '../../base/log/logger.ts';
import { createCertificateAuthority, issueCertificate } from '../../base/pki/certificates.ts';
import { generateKeyPair, privateKeyPem } from '../../base/pki/keys.ts';
import { createSeededRandom } from '../../base/random/seeded.ts';
import { createControllers } from '../../controllers/index.ts';
import {
  type Client,
  type ControllerManager,
  type Transport,
  createClient,
  createControllerManager,
  createEventRecorder,
  createInformers,
  createMemoryQueues,
  createUndiciTransport,
  offJournal,
} from '../../runtime/index.ts';
import { type Credentials, staticCredentials } from '../../runtime/client/credentials.ts';
import { createUndiciOutbound } from '../../runtime/client/undici-outbound.ts';
import { parsePlan } from '../plan/plan.ts';
import { type StrikeRecord, createStrikes } from '../plan/strikes.ts';
import { credentialsOf } from '../world/credentials.ts';
import { createEarlierAnswers } from './earlier-answers.ts';
import { createInterception } from './interception.ts';
import { createChaosProxy } from './proxy.ts';

const clock = createSystemClock();
const random = createSeededRandom(1);
const environment = { clock, random, log: silentLogger };
const vocabulary = orchVocabulary;
export const scheme = createScheme(vocabulary, builtinKinds);
const TOKEN = 'lent-by-the-proxy';

const validity = { notBeforeMs: clock.now() - 60_000, notAfterMs: clock.now() + 3_600_000 };
const keys = generateKeyPair('ec-p256');
const authority = createCertificateAuthority({ commonName: 'ca', organizations: [] }, keys, validity, random);

function credential(commonName: string, ...organizations: readonly string[]) {
  const pair = generateKeyPair('ec-p256');
  const certificate = issueCertificate(
    {
      subject: { commonName, organizations: [...organizations] },
      publicKey: pair.publicKey,
      usages: ['digital signature', 'server auth', 'client auth'],
      ...validity,
      names: { dnsNames: [], ipAddresses: ['127.0.0.1'], emailAddresses: [], uris: [] },
    },
    authority,
    random,
  );
  return { certificate, key: privateKeyPem(pair.privateKey) };
}

async function listen(handler: HttpHandler): Promise<Listener> {
  const { certificate, key } = credential('server');
  const listener = createListener({
    handler,
    host: '127.0.0.1',
    port: 0,
    tls: { cert: certificate, key, clientCa: authority.certificatePem },
    clock,
    log: silentLogger,
    graceMs: 100,
  });
  await listener.start();
  return listener;
}

const urlOf = (listener: Listener): string => `https://127.0.0.1:${listener.address().port}`;

/** An API server with a listening socket. */
export interface Upstream {
  readonly url: string;
  /** Client of an administrator without the proxy. */
  readonly direct: Client;
  stop(): Promise<void>;
}

const admin = credential('admin', 'system:masters');

export async function startUpstream(): Promise<Upstream> {
  const storage = createMemoryStorage({ stamp: stampResourceVersion });
  const server = assembleApiServer({
    controllerPermissions,
    scheme,
    environment,
    storage,
    clientCa: () => authority.certificatePem,
    serverCa: authority.certificatePem,
    serverUrl: () => 'https://127.0.0.1:6443',
    serviceAccountKey: keys.privateKey,
  });
  await server.start();
  const listener = await listen(server.handler);
  const url = urlOf(listener);
  const transport = transportTo(url, admin);
  return {
    url,
    direct: clientOn(transport),
    async stop() {
      await transport.close();
      await listener.stop();
      await server.stop();
      await storage.close();
    },
  };
}

const transportTo = (server: string, credentials: Credentials): Transport =>
  createUndiciTransport({
    server,
    tls: { ca: authority.certificatePem },
    credentials: staticCredentials(credentials),
  });

const clientOn = (transport: Transport): Client =>
  createClient({ ...environment, scheme, transport, userAgent: 'tester' });

/** A proxy in front of an API server, with clients. */
export interface Proxied {
  readonly direct: Client;
  /** Client of an administrator through the proxy. */
  readonly client: Client;
  /** Transport of `client`, which does not retry requests. */
  readonly transport: Transport;
  /** Returns a transport through the proxy with other credentials. */
  as(authorization: string | undefined): Transport;
  readonly strikes: readonly StrikeRecord[];
  stop(): Promise<void>;
}

/** Starts a proxy with the rules of a fault plan. */
export async function startProxied(upstream: Upstream, rules: readonly object[]): Promise<Proxied> {
  const strikes: StrikeRecord[] = [];
  const outbound = createUndiciOutbound();
  const proxy = await listen(
    createChaosProxy({
      target: { origin: upstream.url, ca: authority.certificatePem },
      basePath: '',
      lent: { token: TOKEN, credentials: () => Promise.resolve(admin) },
      outbound,
      log: silentLogger,
      interception: createInterception({
        strikes: createStrikes({
          plan: parsePlan(JSON.stringify({ rules })),
          seed: 1,
          clock,
          onStrike: (strike) => strikes.push(strike),
        }),
        older: createEarlierAnswers(clock),
        clock,
        log: silentLogger,
      }),
    }),
  );
  const transports: Transport[] = [];
  const through = (credentials: Credentials): Transport => {
    const transport = transportTo(urlOf(proxy), credentials);
    transports.push(transport);
    return transport;
  };
  const transport = through({ authorization: `Bearer ${TOKEN}` });
  return {
    direct: upstream.direct,
    client: clientOn(transport),
    transport,
    as: (authorization) => through(authorization === undefined ? {} : { authorization }),
    strikes,
    async stop() {
      for (const each of transports) await each.close();
      await proxy.stop();
      await outbound.close();
    },
  };
}

/** Starts the built-in controllers of `selection` with a client. */
export function startManager(client: Client, selection: readonly string[]): ControllerManager {
  const informers = createInformers({ ...environment, client });
  const component = 'tested';
  const events = createEventRecorder({ ...environment, client, scheme, component });
  const manager = createControllerManager({
    controllers: createControllers(credentialsOf(vocabulary).settings),
    selection,
    client,
    scheme,
    informers,
    queues: createMemoryQueues(environment),
    events,
    environment,
    journal: offJournal,
    before: [informers, events],
  });
  void manager.start();
  return manager;
}
