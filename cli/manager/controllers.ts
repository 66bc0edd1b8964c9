import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto';
import type { Scheme } from '../../api/kinds/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Environment } from '../../base/environment.ts';
import { CodedError } from '../../base/errors/index.ts';
import type { Live } from '../../base/lifetime/index.ts';
import { type Metrics, createMetrics, createProcessMetrics } from '../../base/metrics/index.ts';
import { type ControllerSettings, createControllers } from '../../controllers/index.ts';
import { attentionRules } from '../../controllers/attention/index.ts';
import type { ControllerManifest } from '../../controllers/manifest.ts';
import { manifests } from '../../controllers/manifests.ts';
import {
  type AssembledManager,
  type ControllerDefinition,
  type LeaderElectionOptions,
  type RedisTls,
  type Journal,
  type Requester,
  type Transport,
  type WorkQueueFactory,
  assembleControllerManager,
  createBullmqQueues,
  createMemoryQueues,
  offJournal,
} from '../../runtime/index.ts';
import { withConcurrency } from './concurrent-syncs.ts';
import { readParsed, readRequired } from '../files/files.ts';
import type { commonFlags, controllerFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError, filePair } from '../flags/flags.ts';
import { processIdentity } from './leader-election.ts';
import type { LiveFiles } from '../files/live-files.ts';
import type { Provisioned } from '../files/provision.ts';
import { readSigners } from './signing.ts';

type ControllerFlags = FlagValues<typeof controllerFlags & typeof commonFlags>;

/** Sources of keys and certificates if the flags name no files. */
export interface OwnKeys {
  /** Returns the keys of the data directory, or undefined if the directory belongs to another API server. */
  readonly provisioned: () => Promise<Provisioned | undefined>;
  /** Authorities with which clients verify the API server, in PEM. */
  readonly serverCa?: string | undefined;
}

/**
 * Reads the settings of the controllers from the files in the flags, or from the data directory. A setting
 * without a source is omitted, as in release 1.24.
 * @param live reads some of the files again when they change
 */
export async function controllerSettings(
  flags: ControllerFlags,
  vocabulary: Vocabulary,
  keys: OwnKeys,
  live: LiveFiles,
): Promise<ControllerSettings> {
  const { provisioned } = keys;
  const rootCa = await readRootCa(flags['root-ca-file'], keys, live);
  return {
    bootstrapTokens: false,
    cronJobTimeZone: flags['feature-gates'].enabled('CronJobTimeZone'),
    generateTokenSecrets: !flags['feature-gates'].enabled('LegacyServiceAccountTokenNoAutoGeneration'),
    legacyTokenPeriodMs: flags['legacy-service-account-token-clean-up-period'],
    quotaSyncMs: flags['resource-quota-sync-period'],
    signers: await readSigners(flags, vocabulary, live, async () => (await provisioned())?.signingCa),
    serviceAccountKey: await serviceAccountKey(flags['service-account-private-key-file'], provisioned),
    get rootCa() {
      return rootCa();
    },
  };
}

async function readRootCa(
  path: string,
  { provisioned, serverCa = '' }: OwnKeys,
  live: LiveFiles,
): Promise<Live<string>> {
  if (path !== '') return live.follow('root certificate authority', () => readAuthorities(path));
  const certificatePem = (await provisioned())?.ca.certificatePem ?? serverCa;
  return () => certificatePem;
}

/**
 * Returns the content of a file if it starts with a complete certificate. Throws otherwise, which detects a
 * file that is only partly written.
 */
async function readAuthorities(path: string): Promise<string> {
  const text = await readRequired(path);
  try {
    new X509Certificate(text);
  } catch (cause) {
    throw new CodedError('ERR_FILE', `${path} does not hold a certificate in PEM`, { cause });
  }
  return text;
}

async function serviceAccountKey(
  path: string,
  provisioned: OwnKeys['provisioned'],
): Promise<KeyObject | undefined> {
  return path === ''
    ? (await provisioned())?.serviceAccountKey
    : readParsed(path, 'a PEM private key', (pem) => createPrivateKey(pem));
}

export interface ControllersOptions {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly transport: Transport;
  /** Host and port of the API server for metrics; default `in-process`. */
  readonly host?: string;
  readonly settings: ControllerSettings;
  readonly flags: FlagValues<typeof controllerFlags>;
  /** Journal of reconciles; default none. */
  readonly journal?: Journal;
  /** Returns the `traceparent` header of an effect's requests. Default: none is sent. */
  readonly traceparentOf?: (requester: Requester) => string;
  readonly leaderElection?: Omit<LeaderElectionOptions, 'clientFor'>;
  readonly qps?: number;
  readonly burst?: number;
  /** Metrics registry; default a new registry. */
  readonly metrics?: Metrics;
}

async function queuesFor({ flags, environment, scheme }: ControllersOptions): Promise<WorkQueueFactory> {
  const redisUrl = flags['redis-url'];
  if (redisUrl === '') return createMemoryQueues(environment);
  const redisTls = await redisTlsOf(flags);
  return createBullmqQueues({ ...environment, redisUrl, redisTls, prefix: scheme.vocabulary.product });
}

async function redisTlsOf(flags: ControllersOptions['flags']): Promise<RedisTls> {
  const [cert = '', key = ''] = filePair(flags, 'redis-cert-file', 'redis-key-file') ?? [];
  const paths = { ca: flags['redis-ca-file'], cert, key };
  const given = Object.entries(paths).filter(([, path]) => path !== '');
  return Object.fromEntries(
    await Promise.all(given.map(async ([name, path]) => [name, await readRequired(path)])),
  );
}

/** Controller names by alias. Aliases are, for example, the names of release 1.24 that differ. */
const namesByAlias: ReadonlyMap<string, string> = new Map(
  manifests.flatMap(({ name, aliases = [] }: ControllerManifest) =>
    aliases.map((alias): [string, string] => [alias, name]),
  ),
);

/**
 * Replaces an alias in an item of `--controllers` by the controller's name: `-ttl-after-finished` becomes
 * `-ttlafterfinished`.
 */
export function ownName(item: string): string {
  const sign = item.startsWith('-') ? '-' : '';
  const name = item.slice(sign.length);
  return sign + (namesByAlias.get(name) ?? name);
}

/**
 * Returns the selection without the controllers that cannot run, which are logged. Throws `ERR_USAGE` if the
 * selection names one of them.
 */
function selectionOf(
  { flags, environment }: ControllersOptions,
  controllers: readonly ControllerDefinition[],
): readonly string[] {
  const items = flags.controllers.map(ownName);
  const running = new Set(controllers.map(({ name }) => name));
  const missing = manifests.filter(({ name }) => !running.has(name));
  for (const { name, fileFlags = '' } of missing as readonly ControllerManifest[]) {
    if (items.includes(name)) throw new UsageError(`--controllers names ${name}, which needs ${fileFlags}`);
    if (!items.includes(`-${name}`))
      environment.log.warn({ controller: name, needs: fileFlags }, 'controller does not run: it needs files');
  }
  return items.filter((item) => missing.every(({ name }) => name !== item.replace(/^-/, '')));
}

/** Assembles the controllers with all their dependencies. Does not start them. */
export async function assembleControllers(options: ControllersOptions): Promise<AssembledManager> {
  const { scheme, settings, flags, journal = offJournal, metrics = createMetrics() } = options;
  createProcessMetrics(metrics);
  const controllers = createControllers(settings);
  return assembleControllerManager({
    ...options,
    identity: options.leaderElection?.identity ?? processIdentity(options.environment.random),
    controllers: controllers.map((definition) => withConcurrency(definition, flags)),
    selection: selectionOf(options, controllers),
    component: `${scheme.vocabulary.short}-controller-manager`,
    queues: await queuesFor(options),
    metrics,
    journal,
    attention: attentionRules,
  });
}
