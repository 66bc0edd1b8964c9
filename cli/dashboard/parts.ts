import { dialectKey, instantiateKey } from '../../api/groups/batch/index.ts';
import type { AnyKind, Scheme } from '../../api/kinds/index.ts';
import { type Vocabulary, orchVocabulary } from '../../api/vocabulary/index.ts';
import type { Mount } from '../../apiserver/http/stages/index.ts';
import { type HttpHandler, readTarget, textResponse } from '../../base/http/index.ts';
import type { Environment } from '../../base/environment.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import {
  type ControllerFacts,
  type Facts,
  JOURNAL_PATH,
  type JournalHandler,
  PAGE_PATH,
  type PageSettings,
  type ServerFacts,
  createBuiltPictures,
  createJournalApi,
  createLifecycleTracker,
  createPageFiles,
} from '../../dashboard/index.ts';
import {
  type ControllerState,
  History,
  type Journal,
  createJournal,
  offJournal,
  openJournalDirectory,
} from '../../runtime/index.ts';
import type { AssembledManager } from '../../runtime/index.ts';
import type { controllerFlags } from '../flags/flag-tables.ts';
import { type FlagValues, UsageError } from '../flags/flags.ts';

/** Sources of the data on the dashboard, which are read when a request arrives. */
export interface DashboardSources {
  readonly scheme: Scheme;
  readonly environment: Environment;
  readonly controllers: () => AssembledManager;
  /** Returns the current state of the API server in this program; undefined without an API server. */
  readonly server?: () => Promise<ServerFacts>;
}

/** Journal of the controllers, and its HTTP handler. */
export interface Dashboard {
  readonly journal: Journal;
  /** HTTP handler of the journal; undefined if no dashboard is requested. */
  readonly handler: JournalHandler | undefined;
  readonly lifetimes: readonly Lifetime[];
}

type DashboardFlags = Pick<
  FlagValues<typeof controllerFlags>,
  | 'journal-dir'
  | 'journal-dir-size'
  | 'journal-entries'
  | 'journal-inspector'
  | 'journal-memory'
  | 'redis-url'
> & { readonly dashboard: boolean };

/** Estimated size in bytes of one journal entry with its cause. */
const BYTES_PER_ENTRY = 420;
const MIB = 1_048_576;

/** Creates the journal that the flags request, and its HTTP handler. */
export function createDashboard(flags: DashboardFlags, sources: DashboardSources): Dashboard {
  const { environment } = sources;
  const { journal, lifetimes } = openJournal(flags, environment);
  if (!flags.dashboard) return { journal, handler: undefined, lifetimes };
  const api = createJournalApi({
    journal,
    clock: environment.clock,
    pictures: createBuiltPictures(),
    machines: () =>
      new Map(
        sources
          .controllers()
          .state()
          .map(({ name, machine }) => [name, machine]),
      ),
    lifecycles: createLifecycleTracker({
      clock: environment.clock,
      scheme: sources.scheme,
      informers: () => sources.controllers().informers,
    }),
    attention: () => sources.controllers().attention?.items() ?? [],
    facts: createFacts(sources, flags['redis-url'] !== ''),
    inspector: flags['journal-inspector'],
    enqueue: (controller, key, requester) => sources.controllers().enqueue(controller, key, requester),
  });
  return { journal, handler: api.handler, lifetimes: [...lifetimes, api] };
}

/** Creates the journal that the flags request, with its history in memory and on disk. */
function openJournal(
  flags: DashboardFlags,
  { clock, log }: Environment,
): { readonly journal: Journal; readonly lifetimes: readonly Lifetime[] } {
  const { 'journal-entries': maxEntries, 'journal-memory': memory, 'journal-dir': path } = flags;
  if (path !== '' && (maxEntries === 0 || memory === 0))
    throw new UsageError(
      '--journal-dir needs a journal: --journal-entries and --journal-memory must not be 0',
    );
  if (maxEntries === 0) return { journal: offJournal, lifetimes: [] };
  const maxBytes = maxEntries * BYTES_PER_ENTRY;
  // A process without a dashboard has no reader for its history, except after a restart.
  if (memory === 0 || (!flags.dashboard && path === ''))
    return { journal: createJournal({ clock, maxEntries, maxBytes }), lifetimes: [] };
  const history = new History({ maxBytes: Math.max(MIB, memory * MIB - maxBytes) });
  const directory =
    path === ''
      ? undefined
      : openJournalDirectory({ path, history, clock, log, maxBytes: flags['journal-dir-size'] * MIB });
  const journal = createJournal({
    clock,
    maxEntries,
    maxBytes,
    history,
    lastSeq: directory?.lastSeq ?? 0,
  });
  return { journal, lifetimes: directory === undefined ? [] : [directory] };
}

/** Returns the mounts of a journal handler, or no mounts without a handler. */
export const dashboardMounts = (
  handler: JournalHandler | undefined,
  settings: PageSettings,
): readonly Mount[] =>
  handler === undefined
    ? []
    : [
        { path: JOURNAL_PATH, handler },
        { path: PAGE_PATH, open: true, handler: createPageFiles(() => settings) },
      ];

/**
 * Returns the settings of the page.
 * @param signsIn default true in live mode, in which an API server authenticates users
 */
export const pageSettings = (
  vocabulary: Vocabulary,
  mode: PageSettings['mode'],
  signsIn: boolean = mode === 'live',
): PageSettings => ({
  product: orchVocabulary.product,
  groups: {
    meta: vocabulary.group('meta'),
    authorization: vocabulary.group('authorization'),
    certificates: vocabulary.group('certificates'),
  },
  dialectAnnotation: dialectKey(vocabulary),
  instantiateAnnotation: instantiateKey(vocabulary),
  mode,
  signsIn,
});

function createFacts(
  { scheme, controllers, server }: DashboardSources,
  shared: boolean,
): () => Promise<Facts> {
  return async () => ({
    controllers: controllers()
      .state()
      .map((state) => factsOf(scheme, state)),
    informers: controllers().informers.health(),
    ...(server === undefined ? {} : { server: await server() }),
    shared,
    replicas: controllers().replicas(),
  });
}

/** Returns the facts of a controller. Its first kind is the kind of the objects that its keys name. */
function factsOf(
  { vocabulary }: Scheme,
  { name, problems, queue, watches, leader }: ControllerState,
): ControllerFacts {
  const own = watches.find(({ keys }) => keys === undefined);
  const kinds = new Set<AnyKind>([...(own === undefined ? [] : [own]), ...watches].map(({ kind }) => kind));
  return {
    name,
    problems,
    queue,
    watches: [...kinds].map(({ group, version, plural, namespaced }) => ({
      group: vocabulary.group(group),
      version,
      plural,
      namespaced,
    })),
    keyed: own !== undefined,
    ...(leader === undefined ? {} : { leader }),
  };
}

/** Creates a handler of mounts without an API server. The root path redirects to the page. */
export const underPaths =
  (mounts: readonly Mount[]): HttpHandler =>
  (request) => {
    const { path: place } = readTarget(request.url);
    const mount = mounts.find(({ path }) => place === path || place.startsWith(`${path}/`));
    if (mount !== undefined) return mount.handler(request);
    const leads = place === '/' && mounts.length > 0;
    return leads
      ? { status: 302, headers: { location: `${PAGE_PATH}/` }, body: Buffer.of() }
      : textResponse(404, '404 page not found\n');
  };
