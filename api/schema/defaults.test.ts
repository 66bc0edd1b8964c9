import { describe, expect, it } from 'vitest';
import { applyDefaults } from './defaults.ts';
import {
  type StructSchema,
  int32,
  listOf,
  mapOf,
  optional,
  ref,
  required,
  string,
  struct,
  value,
} from './schema.ts';

interface Port {
  port?: number;
  targetPort?: number;
  protocol?: string;
}
const Port = struct(
  'v1.Port',
  {
    port: required(1, int32),
    targetPort: optional(2, int32),
    protocol: value(3, string, { default: 'TCP' }),
  },
  {
    defaults: (port: Port) => {
      if (port.targetPort === undefined && port.port !== undefined) port.targetPort = port.port;
    },
  },
);
const Settings = struct('v1.Settings', { mode: value(1, string, { default: 'Fast' }) });
const Spec = struct(
  'v1.Spec',
  {
    ports: value(1, listOf(ref(Port))),
    byName: value(2, mapOf(ref(Settings))),
    settings: optional(3, ref(Settings)),
    replicas: optional(4, int32, { default: 1 }),
    tags: optional(5, listOf(string), { default: ['a'] }),
  },
  {
    defaults: (spec: { settings?: object; replicas?: number }) => {
      if (spec.replicas === 1) spec.settings ??= {};
    },
  },
);

const defaulted = (schema: StructSchema, object: unknown): unknown => {
  applyDefaults(schema, object);
  return object;
};

describe('applyDefaults', () => {
  it('sets absent fields, including those within lists and maps, and keeps given values', () => {
    expect(
      defaulted(Spec, {
        ports: [{ port: 80 }, { port: 81, targetPort: 8081, protocol: 'UDP' }],
        byName: { a: {}, b: { mode: 'Slow' } },
        replicas: 0,
        tags: [],
      }),
    ).toEqual({
      ports: [
        { port: 80, targetPort: 80, protocol: 'TCP' },
        { port: 81, targetPort: 8081, protocol: 'UDP' },
      ],
      byName: { a: { mode: 'Fast' }, b: { mode: 'Slow' } },
      replicas: 0,
      tags: [],
    });
  });

  it('defaults a struct before its nested structs, and its fields before it calls its defaults function', () => {
    expect(defaulted(Spec, {})).toEqual({ replicas: 1, tags: ['a'], settings: { mode: 'Fast' } });
  });

  it('treats an empty string as absent unless the field is a pointer', () => {
    expect(defaulted(Settings, { mode: '' })).toEqual({ mode: 'Fast' });
  });

  it('creates a new default value for each object', () => {
    const [one, other] = [defaulted(Spec, {}), defaulted(Spec, {})] as { tags: string[] }[];
    one?.tags.push('b');
    expect(other?.tags).toEqual(['a']);
  });

  it('ignores null containers and values that are not objects', () => {
    expect(defaulted(Spec, { ports: null, byName: null, replicas: 2 })).toEqual({
      ports: null,
      byName: null,
      replicas: 2,
      tags: ['a'],
    });
    expect(defaulted(Spec, null)).toBeNull();
  });

  it('follows types that refer to themselves', () => {
    const Tree: StructSchema = struct('v1.Tree', {
      name: value(1, string, { default: 'node' }),
      child: optional(
        2,
        ref(() => Tree),
      ),
    });
    expect(defaulted(Tree, { child: { child: {} } })).toEqual({
      name: 'node',
      child: { name: 'node', child: { name: 'node' } },
    });
  });
});
