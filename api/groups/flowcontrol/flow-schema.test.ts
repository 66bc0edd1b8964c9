import { describe, expect, it } from 'vitest';
import { kubernetesVocabulary, orchVocabulary } from '../../vocabulary/vocabulary.ts';
import { created, row, texts, updated } from '../fixture.ts';
import { flowSchemas, priorityLevelConfigurations } from '../flowcontrol-v1beta2.ts';
import { flowSchemas as suggestedSchemas, priorityLevels } from './defaults.ts';

const rule = {
  subjects: [{ kind: 'User', user: { name: 'u' } }],
  resourceRules: [{ verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['d'] }],
};
const make = (spec: object, name = 'f') =>
  created(flowSchemas, {
    metadata: { name, resourceVersion: '1' },
    spec: { priorityLevelConfiguration: { name: 'l' }, ...spec },
  });
const errorsOf = (spec: object, name?: string) => texts(make(spec, name).errors);

describe('a FlowSchema', () => {
  it('has a medium precedence by default', () => {
    const { object, errors } = make({ rules: [rule] });
    expect(errors).toEqual([]);
    expect(object.spec?.matchingPrecedence).toBe(1000);
    expect(row(flowSchemas, object)).toMatchObject({
      PriorityLevel: 'l',
      MatchingPrecedence: 1000,
      DistinguisherMethod: '<none>',
      MissingPL: '?',
    });
  });

  it.each([
    [
      { matchingPrecedence: 1 },
      "matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1",
    ],
    [
      { matchingPrecedence: 10_001 },
      'matchingPrecedence: Invalid value: 10001: must not be greater than 10000',
    ],
    [
      { priorityLevelConfiguration: {} },
      'priorityLevelConfiguration.name: Required value: must reference a priority level',
    ],
    [
      { distinguisherMethod: { type: 'ByHair' } },
      'distinguisherMethod.type: Unsupported value: flowcontrol.FlowDistinguisherMethod{Type:"ByHair"}: supported values: "ByNamespace", "ByUser"',
    ],
    [
      { rules: [{ ...rule, subjects: [] }] },
      'rules[0].subjects: Required value: subjects must contain at least one value',
    ],
    [
      { rules: [{ subjects: rule.subjects }] },
      'rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
    [
      { rules: [{ ...rule, subjects: [{ kind: 'User', user: { name: 'u' }, group: { name: 'g' } }] }] },
      "rules[0].subjects[0].group: Forbidden: group is forbidden when subject kind is not 'Group'",
    ],
    [
      { rules: [{ ...rule, subjects: [{ kind: 'Group' }] }] },
      "rules[0].subjects[0].group: Required value: group is required when subject kind is 'Group'",
    ],
    [
      { rules: [{ ...rule, resourceRules: [{ ...rule.resourceRules[0], verbs: ['*', 'get'] }] }] },
      'rules[0].resourceRules[0].verbs: Invalid value: []string{"*", "get"}: if \'*\' is present, must not specify other verbs',
    ],
    [
      { rules: [{ ...rule, resourceRules: [{ ...rule.resourceRules[0], verbs: ['look'] }] }] },
      'rules[0].resourceRules[0].verbs: Unsupported value: []string{"look"}: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"',
    ],
    [
      { rules: [{ ...rule, nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/a*'] }] }] },
      'rules[0].nonResourceRules[0].nonResourceURLs[0]: Invalid value: "/a*": wildcard can only do suffix matching',
    ],
  ])('is rejected with %j', (spec, text) => {
    expect(errorsOf(spec)).toEqual([`spec.${text}`]);
  });

  it('with a mandatory name must have its fixed spec', () => {
    const exempt = suggestedSchemas(orchVocabulary).find(({ name }) => name === 'exempt');
    expect(make(exempt?.spec ?? {}, 'exempt').errors).toEqual([]);
    expect(errorsOf({ matchingPrecedence: 2 }, 'exempt')).toEqual([
      expect.stringMatching(/^spec: Invalid value: .*: spec of 'exempt' must equal the fixed value$/),
    ]);
  });

  it('requires unique types of conditions', () => {
    const { object } = make({ rules: [rule] });
    const change = updated(
      flowSchemas,
      object,
      (draft) => {
        draft.status = { conditions: [{ type: 'Dangling', status: 'True' }, { type: 'Dangling' }] };
      },
      'status',
    );
    expect(texts(change.errors)).toEqual(['status.conditions[1].type: Duplicate value: "Dangling"']);
    expect(row(flowSchemas, change.object)).toMatchObject({ MissingPL: 'True' });
  });

  it('retains labels, annotations, finalizers and owners in a status update', () => {
    const { object } = make({ rules: [rule] });
    const labels: Record<string, string> = { a: '1' };
    const { object: reported } = updated(
      flowSchemas,
      { ...object, metadata: { ...object.metadata, labels } },
      (draft) => {
        const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
        const meant = { labels: {}, annotations: { b: '2' }, finalizers: ['c/d'], ownerReferences: [owner] };
        draft.metadata = { ...draft.metadata, ...meant };
        draft.status = { conditions: [{ type: 'Dangling', status: 'True' }] };
      },
      'status',
    );
    expect(reported.metadata).toEqual({ ...object.metadata, labels });
    expect(reported.status?.conditions).toHaveLength(1);
  });
});

describe.each([orchVocabulary, kubernetesVocabulary])('a default FlowSchema ($product)', (vocabulary) => {
  it('is valid', () => {
    for (const { name, spec } of suggestedSchemas(vocabulary)) expect(make(spec, name).errors).toEqual([]);
    for (const { name, spec } of priorityLevels)
      expect(created(priorityLevelConfigurations, { metadata: { name }, spec }).errors).toEqual([]);
  });

  it('refers to a default PriorityLevelConfiguration', () => {
    const levels = new Set(priorityLevels.map(({ name }) => name));
    for (const { spec } of suggestedSchemas(vocabulary))
      expect(levels).toContain(spec.priorityLevelConfiguration.name);
  });
});
