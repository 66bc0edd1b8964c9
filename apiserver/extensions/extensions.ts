import { isDeepStrictEqual } from 'node:util';
import { customKinds } from '../../api/extensions/index.ts';
import type { AnyKind, Kind } from '../../api/kinds/index.ts';
import { chargeTree, writeJson } from '../../api/schema/index.ts';
import { isConflict, isNotFound } from '../../api/status/index.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-v1.ts';
import { WorkBudget, charged, inSteps } from '../../base/budget/index.ts';
import { type Timer, backoffMs, toTime } from '../../base/clock/index.ts';
import type { Environment } from '../../base/environment.ts';
import { asError } from '../../base/errors/index.ts';
import type { Lifetime } from '../../base/lifetime/index.ts';
import type { Catalogue } from '../catalogue.ts';
import { cleanupFinalizer } from '../registry/delete/definition-mark.ts';
import { EVERYTHING, ownWrite } from '../registry/write/own-requests.ts';
import type { CustomKind, ObjectReader, Registry, WriteContext } from '../registry/registry.ts';
import { type Definition, type Finding, isTrue, withCondition } from './conditions.ts';
import { deleteInstances } from './instances.ts';
import { Unpublished } from './publication.ts';
import { decideStatus, sameStatus } from './status.ts';
import type { ConverterOf } from './webhook-conversion.ts';

export interface Extensions extends Lifetime {
  /** Logs that a kind is left out of the OpenAPI documents, and says so in a condition of its definition. */
  unpublishable(kind: AnyKind, why: unknown): void;
}

export interface ExtensionsOptions {
  readonly registry: Registry;
  readonly catalogue: Catalogue;
  readonly environment: Environment;
  /** How versions of a definition are converted that ask for a webhook. */
  readonly converterOf: ConverterOf;
}

/**
 * The server's care for definitions of custom kinds: which names they get, that what they define is served, and that what
 * is left of a kind goes with its definition. All of it follows from the definitions as they are stored, so that nothing is
 * lost when the server ends at any point.
 */
export function createExtensions(options: ExtensionsOptions): Extensions {
  const { vocabulary } = options.catalogue.kept;
  const kind = options.catalogue.kept.byResource(
    vocabulary.group('apiextensions'),
    'v1',
    'customresourcedefinitions',
  );
  return kind ? new ServedExtensions(options, kind) : NONE;
}

/** A server without definitions. */
const NONE: Extensions = {
  name: 'custom kinds',
  start: async () => {},
  stop: async () => {},
  unpublishable: () => {},
};

/** What is served for one definition, and what it was made from. */
interface Serving {
  readonly fingerprint: string;
  readonly added: readonly CustomKind[];
  readonly served: readonly AnyKind[];
  readonly stored: AnyKind;
}

class ServedExtensions implements Extensions {
  readonly name = 'custom kinds';
  readonly #options: ExtensionsOptions;
  readonly #kind: AnyKind;
  readonly #reader: ObjectReader<CustomResourceDefinition>;
  readonly #serving = new Map<string, Serving>();
  /** Names of definitions to look at, in order. */
  readonly #queue = new Set<string>();
  readonly #attempts = new Map<string, number>();
  readonly #unpublished: Unpublished;
  readonly #timers = new Set<Timer>();
  /** By uid, definitions whose objects are being deleted. */
  readonly #ending = new Map<string, Promise<void>>();
  #work: Promise<void> | undefined;
  /** Definitions may be large: what is done with the one at hand is done in slices. */
  #budget = WorkBudget.unlimited();
  #unsubscribe: (() => void) | undefined;
  #abort = new AbortController();

  constructor(options: ExtensionsOptions, kind: AnyKind) {
    this.#options = options;
    this.#kind = kind;
    this.#unpublished = new Unpublished(options.environment.log);
    this.#reader = options.registry.reader(kind as unknown as Kind<CustomResourceDefinition>);
  }

  /** Resolves when all that is defined and established is served. */
  async start(): Promise<void> {
    this.#abort = new AbortController();
    for (const definition of this.#reader.list())
      if (isTrue(definition, 'Established'))
        await this.#serve(definition).catch((thrown: unknown) => this.#failed(nameOf(definition), thrown));
    this.#publish();
    this.#unsubscribe = this.#reader.subscribe((definition, previous) => {
      const changed = definition ?? previous;
      if (!changed) return;
      this.#enqueue(nameOf(changed));
      if (!definition) this.#enqueueGroup(changed);
    });
    await this.#work;
  }

  async stop(): Promise<void> {
    this.#abort.abort(new Error('the server stops'));
    this.#unsubscribe?.();
    for (const timer of this.#timers) this.#options.environment.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#queue.clear();
    await this.#work;
    await Promise.all(this.#ending.values());
  }

  unpublishable(kind: AnyKind, why: unknown): void {
    const name = `${kind.plural}.${this.#vocabulary.group(kind.group)}`;
    this.#unpublished.add(name, kind, why);
    this.#enqueue(name);
  }

  #enqueue(name: string): void {
    if (this.#abort.signal.aborted) return;
    this.#queue.add(name);
    this.#work ??= this.#run().finally(() => (this.#work = undefined));
  }

  /** Names that one definition gives up, others may have been waiting for. */
  #enqueueGroup({ spec }: Definition): void {
    for (const each of this.#reader.list())
      if (each.spec?.group === spec?.group && !isTrue(each, 'NamesAccepted')) this.#enqueue(nameOf(each));
  }

  /** One definition after the other: names are given to who comes first. */
  async #run(): Promise<void> {
    for (const name of this.#queue) {
      this.#queue.delete(name);
      try {
        await this.#reconcile(name);
        this.#attempts.delete(name);
      } catch (thrown) {
        this.#failed(name, thrown);
      }
    }
  }

  #failed(name: string, thrown: unknown): void {
    const { clock, random, log } = this.#options.environment;
    if (this.#abort.signal.aborted || isNotFound(thrown)) return;
    const attempt = (this.#attempts.get(name) ?? 0) + 1;
    this.#attempts.set(name, attempt);
    const delayMs = backoffMs(attempt, random);
    if (!isConflict(thrown))
      log.warn({ err: asError(thrown), definition: name, delayMs }, 'a custom kind failed');
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      this.#enqueue(name);
    }, delayMs);
    this.#timers.add(timer);
  }

  async #reconcile(name: string): Promise<void> {
    this.#budget = WorkBudget.unlimited();
    const definition = await this.#reader.live('', name);
    if (!definition) return this.#forget(name);
    charged(this.#budget, () => chargeTree(definition));
    if (this.#budget.isDue) await this.#budget.pause();
    if (isDeleted(definition)) {
      if (isTrue(definition, 'Established')) await this.#serveAndPublish(definition);
      this.#end(definition);
      return;
    }
    const names = decideStatus(definition, await this.#all(), this.#vocabulary, this.#now());
    const named: Definition = { ...definition, status: names };
    // Served before it says so: who waits for the condition can use the kind at once.
    if (isTrue(named, 'Established')) await this.#serveAndPublish(named);
    const served = this.#serving.get(name)?.served ?? [];
    const status = this.#unpublished.shownIn(names, served, this.#now());
    const decided: Definition = { ...definition, status };
    if (sameStatus(definition.status, status)) return;
    await this.#writeStatus(decided);
    if (!isDeepStrictEqual(definition.status?.acceptedNames, status.acceptedNames))
      this.#enqueueGroup(decided);
  }

  /** As stored now: what this loop has just written may not be in the cache yet. */
  async #all(): Promise<readonly Definition[]> {
    const { items } = await this.#options.registry.of(this.#kind).list(EVERYTHING);
    const all: Definition[] = [];
    for (const item of items) {
      all.push(charged(this.#budget, () => item.object as Definition));
      if (this.#budget.isDue) await this.#budget.pause();
    }
    return all;
  }

  async #serveAndPublish(definition: Definition): Promise<void> {
    const before = this.#serving.get(nameOf(definition));
    const now = await this.#serve(definition);
    if (now === before) return;
    this.#publish();
    await this.#options.registry.remove((before?.added ?? []).map(({ kind }) => kind));
  }

  /** Makes the kinds of a definition ready, unless they are what they were. */
  async #serve(definition: Definition): Promise<Serving> {
    const name = nameOf(definition);
    const before = this.#serving.get(name);
    if (this.#budget.isDue) await this.#budget.pause();
    const fingerprint = charged(this.#budget, () => fingerprintOf(definition));
    if (before?.fingerprint === fingerprint) return before;
    const terminating = isDeleted(definition);
    if (this.#budget.isDue) await this.#budget.pause();
    const making = inSteps(this.#budget, () =>
      customKinds(definition as CustomResourceDefinition, this.#vocabulary),
    );
    const kinds = making instanceof Promise ? await making : making;
    const stored = kinds.stored;
    const served = kinds.served.map((kind) => (terminating ? { ...kind, terminating } : kind));
    const kept = kinds.served.includes(stored) ? served : [...served, stored];
    const convert = this.#options.converterOf(definition);
    const added = kept.map((kind): CustomKind => ({
      kind,
      ...(convert && { conversion: { convert, storedAs: stored } }),
    }));
    await this.#options.registry.add(added);
    const serving = { fingerprint, added, served, stored: kept.find(isVersion(stored)) ?? stored };
    this.#serving.set(name, serving);
    return serving;
  }

  #publish(): void {
    this.#options.catalogue.replaceCustom([...this.#serving.values()].flatMap(({ served }) => served));
  }

  async #forget(name: string): Promise<void> {
    const before = this.#serving.get(name);
    if (!before) return;
    this.#serving.delete(name);
    this.#publish();
    await this.#options.registry.remove(before.added.map(({ kind }) => kind));
  }

  /** Deletes what there is of the kind, then lets the definition go. Takes as long as the objects do. */
  #end(definition: Definition): void {
    const { uid = '', finalizers = [] } = definition.metadata ?? {};
    if (this.#ending.has(uid) || !finalizers.includes(cleanupFinalizer(this.#vocabulary))) return;
    const work = this.#empty(definition)
      .catch((thrown: unknown) => this.#failed(nameOf(definition), thrown))
      .finally(() => this.#ending.delete(uid));
    this.#ending.set(uid, work);
  }

  async #empty(definition: Definition): Promise<void> {
    const { registry, environment } = this.#options;
    const name = nameOf(definition);
    const serving = this.#serving.get(name);
    if (!serving) await this.#find(name, definition, NEVER_ESTABLISHED);
    else {
      await this.#find(name, definition, IN_PROGRESS);
      const { finding, done } = await deleteInstances(
        registry,
        serving.stored,
        this.#context(),
        environment.clock,
      );
      await this.#find(name, definition, finding);
      if (!done) throw new Error(finding.message);
    }
    const live = await this.#reader.live('', name);
    if (!live || live.metadata?.uid !== definition.metadata?.uid) return;
    const own = cleanupFinalizer(this.#vocabulary);
    const finalizers = (live.metadata?.finalizers ?? []).filter((each) => each !== own);
    const body = { ...live, metadata: { ...live.metadata, finalizers } };
    await registry.of(this.#kind).update('', name, '', body, this.#context());
    this.#attempts.delete(name);
  }

  /** Says in the status how the end goes on. */
  async #find(name: string, { metadata }: Definition, finding: Finding): Promise<void> {
    const live = await this.#reader.live('', name);
    if (!live || live.metadata?.uid !== metadata?.uid) return;
    const known = live.status?.conditions ?? [];
    const conditions = withCondition(known, finding, this.#now());
    const status = {
      acceptedNames: { plural: '', kind: '' },
      storedVersions: [],
      ...live.status,
      conditions,
    };
    await this.#writeStatus({ ...live, status });
  }

  async #writeStatus(definition: Definition): Promise<void> {
    const { registry } = this.#options;
    await registry.of(this.#kind).update('', nameOf(definition), 'status', definition, this.#context());
  }

  #context(): WriteContext {
    return ownWrite(this.#abort.signal, undefined, this.#budget);
  }

  get #vocabulary() {
    return this.#options.catalogue.kept.vocabulary;
  }

  #now(): string {
    return toTime(this.#options.environment.clock.now());
  }
}

const IN_PROGRESS: Finding = {
  type: 'Terminating',
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const NEVER_ESTABLISHED: Finding = {
  type: 'Terminating',
  status: 'False',
  reason: 'NeverEstablished',
  message: 'resource was never established',
};

const nameOf = ({ metadata }: Definition): string => metadata?.name ?? '';

const isDeleted = ({ metadata }: Definition): boolean => metadata?.deletionTimestamp !== undefined;

const isVersion =
  ({ version }: AnyKind) =>
  (kind: AnyKind): boolean =>
    kind.version === version;

/** Two definitions with the same one define the same kinds. */
function fingerprintOf({ metadata, spec, status }: Definition): string {
  chargeTree(spec);
  return writeJson([metadata?.uid, spec, status?.acceptedNames, metadata?.deletionTimestamp !== undefined]);
}
