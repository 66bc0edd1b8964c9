import { type KeyObject, createPrivateKey } from 'node:crypto';
import { builtinKinds, formerKinds } from '../api/groups/index.ts';
import { type Scheme, createScheme } from '../api/kinds/scheme.ts';
import { type Product, type Vocabulary, vocabularyOf } from '../api/vocabulary/vocabulary.ts';
import type { Environment } from '../base/environment.ts';
import { createMetrics } from '../base/metrics/metrics.ts';
import { createProcessMetrics } from '../base/metrics/process.ts';
import { type CertificateAuthority, loadCertificateAuthority } from '../base/pki/certificates.ts';
import { type ControllerSettings, createControllers } from '../controllers/index.ts';
import {
  type ControllerManager,
  type Transport,
  type WorkQueueFactory,
  createBullmqQueues,
  createClient,
  createControllerMetrics,
  createControllerManager,
  createEventRecorder,
  createInformers,
  createMemoryQueues,
  createRequestMetrics,
} from '../runtime/index.ts';
import { readParsed, readRequired } from './files.ts';
import type { commonFlags, controllerFlags } from './flag-tables.ts';
import { type FlagValues, UsageError } from './flags.ts';
import type { Provisioned } from './provision.ts';

export const schemeOf = (product: Product): Scheme =>
  createScheme(vocabularyOf(product), [...builtinKinds, ...formerKinds]);

type ControllerFlags = FlagValues<typeof controllerFlags & typeof commonFlags>;

/** Reads what the controllers need from the files that flags name, else from the data folder. */
export async function controllerSettings(
  flags: ControllerFlags,
  vocabulary: Vocabulary,
  provisioned: () => Promise<Provisioned>,
): Promise<ControllerSettings> {
  const authority = await signingAuthority(flags, provisioned);
  const signer = { authority, durationMs: flags['cluster-signing-duration'] };
  return {
    cronJobTimeZone: flags['feature-gates'].enabled('CronJobTimeZone'),
    signers: new Map(Object.values(vocabulary.signers).map((name) => [name, signer])),
    serviceAccountKey: await serviceAccountKey(flags['service-account-private-key-file'], provisioned),
    rootCa:
      flags['root-ca-file'] === ''
        ? (await provisioned()).ca.certificatePem
        : await readRequired(flags['root-ca-file']),
  };
}

async function signingAuthority(
  flags: ControllerFlags,
  provisioned: () => Promise<Provisioned>,
): Promise<CertificateAuthority> {
  const certificate = flags['cluster-signing-cert-file'];
  const key = flags['cluster-signing-key-file'];
  if ((certificate === '') !== (key === ''))
    throw new UsageError('--cluster-signing-cert-file and --cluster-signing-key-file go together');
  if (certificate === '') return (await provisioned()).signingCa;
  return loadCertificateAuthority(await readRequired(certificate), await readRequired(key));
}

async function serviceAccountKey(path: string, provisioned: () => Promise<Provisioned>): Promise<KeyObject> {
  return path === ''
    ? (await provisioned()).serviceAccountKey
    : readParsed(path, 'a PEM private key', (pem) => createPrivateKey(pem));
}

export interface ControllersOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly transport: Transport;
  /** `host:port` of the API server, as metrics name it; default `in-process`. */
  readonly host?: string;
  readonly settings: ControllerSettings;
  /** The value of `--controllers`. */
  readonly selection: readonly string[];
  /** '' for queues in process. */
  readonly redisUrl: string;
  readonly qps?: number;
  readonly burst?: number;
}

const queuesFor = ({ redisUrl, environment, scheme }: ControllersOptions): Promise<WorkQueueFactory> =>
  redisUrl === ''
    ? Promise.resolve(createMemoryQueues(environment))
    : createBullmqQueues({ ...environment, redisUrl, prefix: scheme.vocabulary.product });

/** The controllers with everything they stand on, not started. */
export async function assembleControllers(options: ControllersOptions): Promise<ControllerManager> {
  const { scheme, environment, transport, settings, selection } = options;
  const component = `${scheme.vocabulary.short}-controller-manager`;
  const metrics = createMetrics();
  createProcessMetrics(metrics);
  const client = createClient({
    observe: createRequestMetrics(metrics, options.host ?? 'in-process'),
    scheme,
    transport,
    clock: environment.clock,
    log: environment.log,
    userAgent: `${component}/0.1.0`,
    ...(options.qps === undefined ? {} : { qps: options.qps }),
    ...(options.burst === undefined ? {} : { burst: options.burst }),
  });
  const informers = createInformers({ ...environment, client });
  const events = createEventRecorder({ ...environment, client, scheme, component });
  return createControllerManager({
    controllers: createControllers(settings),
    selection,
    client,
    scheme,
    informers,
    queues: await queuesFor(options),
    events,
    metrics: createControllerMetrics(metrics),
    environment,
    before: [{ name: 'client', start: async () => {}, stop: () => client.close() }, informers, events],
  });
}
