import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord } from '../../base/collections/index.ts';
import { CodedError, messageOf } from '../../base/errors/index.ts';
import { parseYamlDocuments } from '../../base/yaml/index.ts';
import { type Clock, sleep } from '../../base/clock/index.ts';
import { UsageError } from '../flags/flags.ts';
import type { ExampleObject, UpstreamApi, UpstreamResource } from './judged-api.ts';

/** A step of the example workload. */
export interface WorkloadStep {
  /** Description of the step. */
  readonly text: string;
  readonly action: 'apply' | 'delete' | 'replace';
  readonly objects: readonly ExampleObject[];
}

/**
 * Example workload: objects that must exist before the controller starts, and steps of a user after the
 * start.
 */
export interface ExampleWorkload {
  readonly setup: readonly ExampleObject[];
  readonly steps: readonly WorkloadStep[];
}

/** Kinds of objects that must exist before the controller starts, in the order of creation. */
const SETUP = [
  'CustomResourceDefinition',
  'Namespace',
  'ServiceAccount',
  'ClusterRole',
  'ClusterRoleBinding',
  'Role',
  'RoleBinding',
];
const SERVED_MS = 15_000;
const AGAIN_MS = 100;

/**
 * Reads manifests.
 *
 * Objects of the kinds in `SETUP` are created first. The remaining files are the steps of the workload, in
 * the order of their names. A file whose name contains `.delete.` deletes its objects. A single remaining
 * file is expanded to the usual life of its objects: creation, replacement under the same names, and deletion
 * of half of them.
 */
export async function readWorkload(path: string): Promise<ExampleWorkload> {
  const info = await stat(path).catch(() => {
    throw new UsageError(`--manifests: ${path} does not exist`);
  });
  const names = info.isDirectory()
    ? (await readdir(path))
        .filter((name) => /\.(?:ya?ml|json)$/.test(name))
        .sort()
        .map((name) => join(path, name))
    : [path];
  const files = await Promise.all(
    names.map(async (name) => ({ name, objects: objectsOf(name, await readFile(name, 'utf8')) })),
  );
  const isSetup = ({ kind }: ExampleObject): boolean => SETUP.includes(kind);
  const setup = files
    .flatMap(({ objects }) => objects.filter(isSetup))
    .sort((a, b) => SETUP.indexOf(a.kind) - SETUP.indexOf(b.kind));
  const acting = files
    .map(({ name, objects }) => ({ name, objects: objects.filter((each) => !isSetup(each)) }))
    .filter(({ objects }) => objects.length > 0);
  const [only, ...more] = acting;
  if (only === undefined)
    throw new UsageError(`--manifests: ${path} has no object besides ${SETUP.join(', ')}`);
  return { setup, steps: more.length === 0 ? usualLife(only.objects) : acting.map(stepOf) };
}

const stepOf = ({
  name,
  objects,
}: {
  readonly name: string;
  readonly objects: readonly ExampleObject[];
}): WorkloadStep =>
  /\.delete\./.test(name)
    ? { text: `delete the objects of ${name}`, action: 'delete', objects }
    : { text: `apply ${name}`, action: 'apply', objects };

function usualLife(objects: readonly ExampleObject[]): readonly WorkloadStep[] {
  const half = objects.slice(Math.floor(objects.length / 2));
  return [
    { text: `create ${namesOf(objects)}`, action: 'apply', objects },
    { text: `delete and recreate ${namesOf(objects)}`, action: 'replace', objects },
    { text: `delete ${namesOf(half)}`, action: 'delete', objects: half },
  ];
}

/** Maximum number of object names in the description of a step. */
const MOST_NAMES = 5;

const namesOf = (objects: readonly ExampleObject[]): string =>
  [
    ...objects.slice(0, MOST_NAMES).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    ...(objects.length > MOST_NAMES ? [`${objects.length - MOST_NAMES} more`] : []),
  ].join(', ');

function objectsOf(path: string, text: string): readonly ExampleObject[] {
  return documentsOf(path, text).flatMap((value) => {
    const items: readonly unknown[] =
      isRecord(value) && value['kind'] === 'List' && Array.isArray(value['items']) ? value['items'] : [value];
    return items.map((item) => exampleObject(path, item));
  });
}

function documentsOf(path: string, text: string): readonly unknown[] {
  try {
    return parseYamlDocuments(text, (_key, value) => (typeof value === 'bigint' ? Number(value) : value));
  } catch (cause) {
    throw new CodedError('ERR_MANIFEST', `${path} ${messageOf(cause)}`, { cause });
  }
}

function exampleObject(path: string, value: unknown): ExampleObject {
  const { apiVersion, kind, metadata } = isRecord(value) ? value : {};
  const name = isRecord(metadata) ? metadata['name'] : undefined;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string')
    throw new CodedError('ERR_MANIFEST', `${path} has a document without apiVersion, kind or metadata.name`);
  return value as unknown as ExampleObject;
}

/** Creates the objects of the setup, and waits until the kinds that it defines are served. */
export async function applySetup(api: UpstreamApi, workload: ExampleWorkload, clock: Clock): Promise<void> {
  for (const object of workload.setup) await api.apply(await resourceOf(api, object, clock), object);
  for (const { objects } of workload.steps)
    for (const object of objects) await resourceOf(api, object, clock);
}

/** Executes one step. `replace` does not wait for the controller in between. */
export async function applyStep(api: UpstreamApi, step: WorkloadStep, clock: Clock): Promise<void> {
  for (const object of step.objects) {
    const resource = await resourceOf(api, object, clock);
    if (step.action !== 'apply') await api.remove(resource, object);
    if (step.action === 'replace') await api.whenRemoved(resource, object);
    if (step.action !== 'delete') await api.apply(resource, object);
  }
}

/** Returns the keys of a step's objects in the format of the judge: `configmaps default/x`. */
export const keysOf = (
  api: UpstreamApi,
  { objects }: WorkloadStep,
  clock: Clock,
): Promise<readonly string[]> =>
  Promise.all(
    objects.map(async (object) => {
      const { path, resource, namespaced } = await resourceOf(api, object, clock);
      const [, group = ''] = /^\/apis\/([^/]+)\//.exec(path) ?? [];
      const { namespace = 'default', name } = object.metadata;
      return `${resource}${group === '' ? '' : `.${group}`} ${namespaced ? `${namespace}/` : ''}${name}`;
    }),
  );

/** Deletes the objects of all steps. The objects of the setup remain. */
export async function removeAll(api: UpstreamApi, { steps }: ExampleWorkload, clock: Clock): Promise<void> {
  for (const { objects } of steps)
    for (const object of objects) await api.remove(await resourceOf(api, object, clock), object);
}

/** Returns the resource of an object's kind. Waits if the kind is not served yet. */
async function resourceOf(api: UpstreamApi, object: ExampleObject, clock: Clock): Promise<UpstreamResource> {
  const untilMs = clock.monotonic() + SERVED_MS;
  for (;;) {
    const found = await api.resourceOf(object.apiVersion, object.kind);
    if (found !== undefined) return found;
    if (clock.monotonic() > untilMs)
      throw new CodedError(
        'ERR_MANIFEST',
        `the API server does not serve ${object.kind} in ${object.apiVersion}`,
      );
    await sleep(clock, AGAIN_MS);
  }
}
