import { describe, expect, it } from 'vitest';
import { decodeProto, encodeProto } from '../../protobuf/envelope.ts';
import { decode } from '../../schema/decode.ts';
import type { CustomResourceDefinition } from '../../types/apiextensions-v1.ts';
import { kubernetesVocabulary as vocabulary } from '../../vocabulary/vocabulary.ts';
import {
  validateDefinitionStatus,
  validateDefinitionUpdate,
} from '../../validation/custom-resource/definition.ts';
import { customResourceDefinitions } from '../apiextensions-v1.ts';
import { customResourceDefinitionSubresources } from './custom-resource-definition.ts';
import { context, definition, refused, withSchema } from './definition.fixture.ts';

const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

describe('a CustomResourceDefinition', () => {
  it('derives missing names from its kind, and records its storage version', () => {
    const { spec, status } = definition();
    expect(spec.names).toMatchObject({ singular: 'gadget', listKind: 'GadgetList' });
    expect(spec.conversion).toEqual({ strategy: 'None' });
    expect(status?.storedVersions).toEqual(['v1']);
    expect(refused(definition())).toEqual([]);
  });

  it('retains its metadata in a status update, except finalizers', () => {
    const meta = { labels: { a: 'b' }, annotations: { c: 'd' } };
    const before = definition({}, {}, { name: 'gadgets.example.com', ...meta, finalizers: ['e.f/g'] });
    const next = structuredClone(before);
    next.metadata = { name: 'gadgets.example.com', labels: { x: 'y' } };
    customResourceDefinitionSubresources.status.prepareForUpdate(next, before, context);
    expect(next.metadata).toEqual({ name: 'gadgets.example.com', ...meta });
  });

  it('requires valid names in its status', () => {
    const reported = definition();
    expect(validateDefinitionStatus(reported)).toEqual([]);
    if (reported.status)
      reported.status.acceptedNames = { plural: 'gadgets', kind: 'Gadget', singular: 'A b' };
    expect(validateDefinitionStatus(reported).map(({ field, message }) => `${field}: ${message}`)).toEqual([
      `status.acceptedNames.singular: Invalid value: "A b": ${LABEL}`,
    ]);
  });

  it.each([
    [
      'a name that is not plural and group',
      definition({}, {}, { name: 'x.example.com' }),
      'metadata.name: Invalid value: "x.example.com": must be spec.names.plural+"."+spec.group',
    ],
    [
      'a generated name',
      definition({}, {}, { generateName: 'x', name: 'gadgets.example.com' }),
      'metadata.generateName: Invalid value: "x": must be spec.names.plural+"."+spec.group',
    ],
    ['no scope', definition({ scope: '' }), 'spec.scope: Required value'],
    ['no group', definition({ group: '' }), 'spec.group: Required value'],
    [
      'a conversion without a strategy',
      definition({ conversion: {} }),
      'spec.conversion.strategy: Required value',
    ],
    [
      'an unknown scope',
      definition({ scope: 'Galaxy' }),
      'spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"',
    ],
    [
      'a list kind equal to its kind',
      definition({ names: { plural: 'gadgets', kind: 'Gadget', listKind: 'Gadget' } }),
      'spec.names.listKind: Invalid value: "Gadget": kind and listKind may not be the same',
    ],
    [
      'an invalid short name',
      definition({ names: { plural: 'gadgets', kind: 'Gadget', shortNames: ['G'] } }),
      `spec.names.shortNames[0]: Invalid value: "G": ${LABEL}`,
    ],
    [
      'no schema',
      definition({}, { schema: undefined }),
      'spec.versions[0].schema.openAPIV3Schema: Required value: schemas are required',
    ],
    [
      'a scale path outside of the spec',
      definition(
        {},
        { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '.status.n' } } },
      ),
      'spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec',
    ],
    [
      'a schema that declares its JSON Schema dialect',
      definition({}, { schema: { openAPIV3Schema: { type: 'object', $schema: 'x' } } }),
      `spec.validation.openAPIV3Schema: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`,
    ],
    [
      'a column without a type',
      definition({}, { additionalPrinterColumns: [{ name: 'A', type: 'tree', jsonPath: '.a' }] }),
      'spec.additionalPrinterColumns[0].type: Invalid value: "tree": must be one of boolean,date,integer,number,string',
    ],
    [
      'a webhook without a URL or service',
      definition({ conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'] } } }),
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    ],
    [
      'unknown conversion review versions',
      definition({
        conversion: {
          strategy: 'Webhook',
          webhook: { clientConfig: { url: 'https://a.example' }, conversionReviewVersions: ['v9'] },
        },
      }),
      'spec.conversion.conversionReviewVersions: Invalid value: []string{"v9"}: must include at least one of v1, v1beta1',
    ],
    [
      'a warning without a reason',
      definition({}, { deprecationWarning: 'old' }),
      'spec.versions[0].deprecationWarning: Invalid value: "old": can only be set for deprecated versions',
    ],
    [
      'preserveUnknownFields at the top level',
      definition({ preserveUnknownFields: true }),
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
    [
      'a root that is not an object',
      withSchema({ type: 'string' }),
      'spec.validation.openAPIV3Schema.type: Invalid value: "string": must be object at the root',
    ],
    [
      'a field without a type',
      withSchema({ type: 'object', properties: { spec: {} } }),
      'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ],
    [
      'a list without items',
      withSchema({ type: 'object', properties: { a: { type: 'array' } } }),
      'spec.validation.openAPIV3Schema.properties[a].items: Required value: must be specified',
    ],
    [
      'types in alternatives',
      withSchema({ type: 'object', properties: { a: { type: 'string', anyOf: [{ type: 'string' }] } } }),
      'spec.validation.openAPIV3Schema.properties[a].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      'alternatives that contain undeclared fields',
      withSchema({ type: 'object', anyOf: [{ properties: { a: {} } }] }),
      'spec.validation.openAPIV3Schema.properties[a]: Required value: because it is defined in spec.validation.openAPIV3Schema.anyOf[0].properties[a]',
    ],
    [
      'a reference',
      withSchema({ type: 'object', properties: { a: { $ref: '#/b', type: 'object' } } }),
      'spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported',
    ],
    [
      'constraints on metadata',
      withSchema({
        type: 'object',
        properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } },
      }),
      'spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
    [
      'an invalid pattern',
      withSchema({ type: 'object', properties: { a: { type: 'string', pattern: '(' } } }),
      'spec.validation.openAPIV3Schema.properties[a].pattern: Invalid value: "(": must be a valid regular expression, but isn\'t: error parsing regexp: missing closing ): `(`',
    ],
    [
      'a default of the wrong type',
      withSchema({ type: 'object', properties: { a: { type: 'string', default: 1 } } }),
      'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: "integer":  in body must be of type string: "integer"',
    ],
    [
      'a default with undeclared fields',
      withSchema({ type: 'object', properties: { a: { type: 'object', default: { b: 1 } } } }),
      'spec.validation.openAPIV3Schema.properties[a].default: Invalid value: map[string]interface {}{"b":1}: must not have unknown fields',
    ],
    [
      'unique items',
      withSchema({
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'string' }, uniqueItems: true } },
      }),
      'spec.validation.openAPIV3Schema.properties[a].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    ],
    [
      'a list of type map without keys',
      withSchema({
        type: 'object',
        properties: { a: { type: 'array', items: { type: 'object' }, 'x-kubernetes-list-type': 'map' } },
      }),
      'spec.validation.openAPIV3Schema.properties[a].x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
    ],
    [
      'an optional key field',
      withSchema({
        type: 'object',
        properties: {
          a: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', properties: { k: { type: 'string' } } },
          },
        },
      }),
      'spec.validation.openAPIV3Schema.properties[a].items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
    ],
    [
      'a list type on a value that is not a list',
      withSchema({ type: 'object', properties: { a: { type: 'string', 'x-kubernetes-list-type': 'set' } } }),
      'spec.validation.openAPIV3Schema.properties[a].type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
    ],
    [
      'a set of granular maps',
      withSchema({
        type: 'object',
        properties: { a: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } } },
      }),
      'spec.validation.openAPIV3Schema.properties[a].items.x-kubernetes-map-type: Invalid value: "null": must be atomic as item of a list with x-kubernetes-list-type=set',
    ],
  ])('is rejected with %s', (_what, crd, text) => {
    expect(refused(crd)).toContain(text);
  });

  it('requires unique versions and exactly one stored version', () => {
    const version = {
      name: 'v1',
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: 'object' } },
    };
    const texts = refused(definition({ versions: [version, version] })).map((text) =>
      text.replace(/\[\]apiext.*\}: /, ''),
    );
    expect(texts).toEqual([
      'spec.versions: Invalid value: must contain unique version names',
      'spec.versions: Invalid value: must have exactly one version marked as storage version',
    ]);
  });

  it("requires an approval for a group in the product's domain", () => {
    const owned = (annotations: object): string[] =>
      refused(definition({ group: 'a.k8s.io' }, {}, { name: 'gadgets.a.k8s.io', annotations }));
    const key = 'api-approved.kubernetes.io';
    expect(owned({})).toEqual([
      `metadata.annotations[${key}]: Required value: protected groups must have approval annotation "${key}", see https://github.com/kubernetes/enhancements/pull/1111`,
    ]);
    expect(owned({ [key]: 'unapproved, for a test' })).toEqual([]);
  });

  it('has an immutable group and plural and, once established, an immutable scope and kind', () => {
    const before = definition();
    before.status = { ...before.status, conditions: [{ type: 'Established', status: 'True' }] } as never;
    const after = definition({ scope: 'Cluster', names: { plural: 'gizmos', kind: 'Gizmo' } });
    expect(validateDefinitionUpdate(after, before, vocabulary).map(({ field }) => field)).toEqual([
      'spec.scope',
      'spec.names.kind',
      'spec.names.plural',
    ]);
  });

  it('round-trips through protobuf, including alternatives of a boolean or list and a schema', () => {
    const crd = withSchema({
      type: 'object',
      default: { a: [1, null] },
      properties: {
        __p: { items: { type: 'string' }, additionalProperties: false },
        q: { additionalProperties: { type: 'integer' } },
      },
      dependencies: { a: ['b'], c: { type: 'object' } },
      'x-kubernetes-list-map-keys': ['k'],
    });
    const { schema } = customResourceDefinitions;
    const read = decode<CustomResourceDefinition>(
      schema,
      decodeProto(schema, encodeProto(schema, crd)),
    ).value;
    expect(read.spec).toEqual(crd.spec);
    expect(read.spec.versions?.[0]?.schema).toMatchObject({
      openAPIV3Schema: { dependencies: { a: ['b'], c: { type: 'object' } }, default: { a: [1, null] } },
    });
  });
});
