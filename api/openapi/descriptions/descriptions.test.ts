import { describe, expect, it } from 'vitest';
import { builtinKinds, formerKinds } from '../../groups/index.ts';
import { isVirtualSubresource, type Subresource } from '../../kinds/kind.ts';
import type { AnyKind } from '../../kinds/scheme.ts';
import { resolve, type Schema, type StructSchema } from '../../schema/schema.ts';
import { structuralOf } from '../../structural/structural.ts';
import { APIGroupList, APIResourceList, APIVersions } from '../../types/meta-v1-discovery.ts';
import { DeleteOptions, ListMeta, Status } from '../../types/meta-v1.ts';
import { VersionInfo } from '../../types/version.ts';
import { createDescriber, descriptionGroups } from './descriptions.ts';

/** Returns the types of a kind: the kind itself, its subresources and its options. */
const typesOf = (kind: AnyKind): StructSchema[] => [
  kind.schema,
  ...Object.values<Subresource<never>>(kind.subresources).flatMap((each) =>
    isVirtualSubresource(each) ? [each.schema] : [],
  ),
  ...Object.values(kind.connections ?? {}).map(({ schema }) => schema),
];

const innerOf = (schema: Schema): readonly Schema[] => {
  const resolved = resolve(schema);
  switch (resolved.kind) {
    case 'struct':
      return Object.values(resolved.fields).map((field) => field.schema);
    case 'array':
      return [resolved.items];
    case 'map':
      return [resolved.values];
    case 'either':
      return [resolved.struct, resolved.other];
    default:
      return [];
  }
};

function reached(from: readonly Schema[]): StructSchema[] {
  const found = new Set<StructSchema>();
  const open = [...from];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const resolved = resolve(next);
    if (resolved.kind === 'struct') {
      if (found.has(resolved)) continue;
      found.add(resolved);
    }
    open.push(...innerOf(resolved));
  }
  return [...found];
}

const KINDS = [...builtinKinds, ...formerKinds];
const META = [Status, DeleteOptions, ListMeta, APIGroupList, APIResourceList, APIVersions, VersionInfo];
const TYPES = reached([...KINDS.flatMap(typesOf), ...META]);
const describer = createDescriber();

/** Each description with its subject. */
const TEXTS = TYPES.flatMap((schema): [about: string, text: string | undefined][] => [
  [schema.name, describer.type(schema)],
  ...Object.keys(schema.fields).map((name): [string, string | undefined] => [
    `${schema.name} ${name}`,
    describer.field(schema, name),
  ]),
]);

const failing = (holds: (text: string, about: string) => boolean): string[] =>
  TEXTS.filter(([about, text]) => text !== undefined && !holds(text, about)).map(
    ([about, text]) => `${about}: ${text ?? ''}`,
  );

describe('descriptions', () => {
  it('exist for every type and every field of every kind', () => {
    expect(TEXTS.filter(([, text]) => text === undefined).map(([about]) => about)).toEqual([]);
    expect(TEXTS.length).toBeGreaterThan(2000);
  });

  it('are sentences of one or two lines', () => {
    expect(failing((text) => /^[A-Z`].*\.$/.test(text))).toEqual([]);
    expect(failing((text) => text.length >= 8 && text.length <= 130)).toEqual([]);
    expect(failing((text) => !/ {2}|\. [A-Z]/.test(text))).toEqual([]);
  });

  it('contain more than the name of the field', () => {
    const words = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');
    expect(failing((text, about) => words(text) !== words(about.split(/[. ]/).at(-1) ?? ''))).toEqual([]);
  });

  it('do not repeat the description of a type in its fields', () => {
    const repeated = TYPES.flatMap((schema) =>
      Object.entries(schema.fields).flatMap(([name, field]) => {
        const [of = field.schema] = innerOf(field.schema).filter(
          () => resolve(field.schema).kind !== 'struct',
        );
        const type = resolve(of);
        const text = type.kind === 'struct' ? describer.type(type) : undefined;
        return text !== undefined && text === describer.field(schema, name) ? [`${schema.name} ${name}`] : [];
      }),
    );
    expect(repeated).toEqual([]);
  });

  it('contain no product name', () => {
    expect(failing((text) => !/orch|kube|k8s/i.test(text))).toEqual([]);
  });

  it('describe only types and fields that exist', () => {
    const fieldsByType = new Map<string, Set<string>>();
    for (const schema of TYPES) {
      const [type = '', , group = ''] = schema.name.split('.').reverse();
      const fields = fieldsByType.get(`${group} ${type}`) ?? new Set(['']);
      fieldsByType.set(`${group} ${type}`, fields);
      for (const name of Object.keys(schema.fields)) fields.add(name.replace(/^x-[a-z]+-/, ''));
    }
    const idle = Object.entries(descriptionGroups).flatMap(([group, texts]) =>
      Object.entries(texts()).flatMap(([type, fields]) =>
        Object.keys(fields)
          .filter((name) => fieldsByType.get(`${group} ${type}`)?.has(name) !== true)
          .map((name) => `${group} ${type} ${name}`),
      ),
    );
    expect(idle).toEqual([]);
  });

  it('do not apply to a custom resource with the name of a built-in kind', () => {
    const schema = { ...(KINDS.find(({ kind }) => kind === 'Deployment') as AnyKind).schema };
    expect(describer.field(schema, 'spec')).toContain('pods');
    const custom = {
      ...schema,
      name: 'com.example.apps.v1.Deployment',
      root: structuralOf({ type: 'object' }),
    };
    expect(describer.type(custom)).toBeUndefined();
    expect(describer.field(custom, 'spec')).toBeUndefined();
    expect(describer.field(custom, 'metadata')).toBe(describer.field(schema, 'metadata'));
  });
});
