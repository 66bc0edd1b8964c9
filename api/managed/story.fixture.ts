import { cloneJson } from '../schema/own.ts';
import {
  boolean,
  int32,
  listOf,
  mapOf,
  optional,
  quantity,
  ref,
  required,
  string,
  struct,
  value,
} from '../schema/schema.ts';
import { ObjectMeta } from '../types/meta-v1.ts';
import { typeMeta } from '../types/type-meta.ts';
import { setOwn } from '../schema/own.ts';
import { ApplyConflicts } from './conflict.ts';
import { EMPTY, type FieldSet } from './field-set.ts';
import { applyManaged, updateManaged } from './field-manager.ts';

const Port = struct('test.Port', {
  port: required(1, int32),
  protocol: value(2, string, { default: 'TCP' }),
  name: value(3, string),
});

const Item = struct('test.Item', {
  key: value(1, string),
  value: value(2, string),
  ports: value(3, listOf(ref(Port)), { listType: 'map', listMapKeys: ['port', 'protocol'] }),
});

const Selector = struct('test.Selector', { labels: value(1, mapOf(string)) }, { mapType: 'atomic' });

const Spec = struct('test.Spec', {
  replicas: optional(1, int32),
  paused: value(2, boolean),
  items: value(3, listOf(ref(Item)), { patchStrategy: ['merge'], patchMergeKey: 'key' }),
  tags: value(4, listOf(string), { listType: 'set' }),
  args: value(5, listOf(string)),
  labels: value(6, mapOf(string)),
  options: value(7, mapOf(string), { mapType: 'atomic' }),
  selector: optional(8, ref(Selector)),
  limits: value(9, mapOf(quantity)),
  inner: optional(10, ref(Selector), { mapType: 'granular' }),
});

const Status = struct('test.Status', { phase: value(1, string), ready: value(2, int32) });

/** Kind with every topology that lists, maps and structs can have. */
export const Thing = struct('test.Thing', {
  ...typeMeta,
  metadata: value(1, ref<ObjectMeta>(ObjectMeta)),
  spec: value(2, ref(Spec)),
  status: value(3, ref(Status)),
});

type Json = Readonly<Record<string, unknown>>;

/** One write by one manager. `object` holds its members except apiVersion, kind and name. */
export type Step =
  | { readonly apply: string; readonly object: Json; readonly force?: boolean; readonly subresource?: string }
  | {
      readonly update: string;
      readonly object: Json;
      readonly subresource?: string;
      readonly given?: unknown;
    };

export interface Outcome {
  /** Members except apiVersion, kind and metadata. */
  readonly object: Json;
  /** Owned fields as fieldsV1, by `manager operation[/subresource]`. */
  readonly owners: Json;
  /** Error of the last step; undefined if the step succeeded. */
  readonly refused?: string;
}

const identity = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 'a' } };

export const clientSide = { manager: 'kubectl', annotation: 'last-applied' };

/** Performs the steps in order on one object, one second apart. */
export function play(
  steps: readonly Step[],
  reset: (subresource: string) => FieldSet = () => EMPTY,
): Outcome {
  let live: Record<string, unknown> | undefined;
  let refused: string | undefined;
  for (const [index, step] of steps.entries()) {
    refused = undefined;
    try {
      live = playStep(live, step, index, reset);
    } catch (thrown) {
      if (!(thrown instanceof ApplyConflicts)) throw thrown;
      refused = thrown.message;
    }
  }
  return { ...outcomeOf(live ?? {}), ...(refused === undefined ? {} : { refused }) };
}

function playStep(
  live: Record<string, unknown> | undefined,
  step: Step,
  index: number,
  reset: (subresource: string) => FieldSet,
): Record<string, unknown> {
  const subresource = step.subresource ?? '';
  const write = {
    schema: Thing,
    apiVersion: 'v1',
    subresource,
    time: `2026-01-01T00:00:${String(index).padStart(2, '0')}Z`,
    reset: reset(subresource),
    live,
  };
  const object = { ...identity, ...step.object };
  if ('update' in step) {
    const next = { ...object, metadata: { ...object.metadata, uid: 'u' } };
    const entries = updateManaged({ ...write, manager: step.update, next, given: step.given });
    return withEntries(next, entries);
  }
  const applied = applyManaged({
    ...write,
    manager: step.apply,
    config: object,
    force: step.force ?? false,
    clientSide,
  });
  return withEntries(
    withoutNulls(cloneJson(applied.object)) as Record<string, unknown>,
    applied.managedFields,
  );
}

const withEntries = (object: Record<string, unknown>, managedFields: unknown): Record<string, unknown> => ({
  ...object,
  metadata: { ...(object['metadata'] as object), ...(managedFields === undefined ? {} : { managedFields }) },
});

/** Drops nulls, as decoding does between an apply and the store. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const rest: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) if (each !== null) setOwn(rest, key, withoutNulls(each));
  return rest;
}

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: Json;
}

function outcomeOf(live: Record<string, unknown>): Outcome {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...object } = live;
  const entries = (metadata as { managedFields?: Entry[] } | undefined)?.managedFields ?? [];
  const named = entries.map(({ manager, operation, subresource, fieldsV1 }) => [
    `${manager} ${operation}${subresource === undefined ? '' : `/${subresource}`}`,
    fieldsV1,
  ]);
  return { object, owners: Object.fromEntries(named) as Json };
}
