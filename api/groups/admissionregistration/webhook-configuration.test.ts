import { describe, expect, it } from 'vitest';
import { created, row, texts, updated } from '../fixture.ts';
import {
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
} from '../admissionregistration-v1.ts';

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const hook = (changes: object = {}) => ({
  name: 'a.b.c',
  clientConfig: { service: { name: 's', namespace: 'd' } },
  rules: [rule],
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...changes,
});
const body = (...webhooks: object[]) => ({
  metadata: { name: 'w', generation: 1, resourceVersion: '1' },
  webhooks,
});
const errorsOf = (...webhooks: object[]) =>
  texts(created(mutatingWebhookConfigurations, body(...webhooks)).errors);

describe('a webhook', () => {
  it('fails closed after ten seconds and matches all objects by default', () => {
    const { object, errors } = created(mutatingWebhookConfigurations, body(hook()));
    expect(errors).toEqual([]);
    expect(object.webhooks).toEqual([
      {
        ...hook(),
        clientConfig: { service: { name: 's', namespace: 'd', port: 443 } },
        rules: [{ ...rule, scope: '*' }],
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        timeoutSeconds: 10,
        reinvocationPolicy: 'Never',
      },
    ]);
    const other = created(validatingWebhookConfigurations, body(hook()));
    expect(other.errors).toEqual([]);
    expect(other.object.webhooks?.[0]).not.toHaveProperty('reinvocationPolicy');
    expect(row(validatingWebhookConfigurations, other.object)).toMatchObject({ Webhooks: 1 });
  });

  it.each([
    [
      { name: 'a.b' },
      'name: Invalid value: "a.b": should be a domain with at least three segments separated by dots',
    ],
    [{ sideEffects: '' }, 'sideEffects: Required value: must specify one of None, NoneOnDryRun'],
    [
      { sideEffects: 'Some' },
      'sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"',
    ],
    [
      { timeoutSeconds: 31 },
      'timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
    [
      { admissionReviewVersions: [] },
      'admissionReviewVersions: Required value: must specify one of v1, v1beta1',
    ],
    [
      { admissionReviewVersions: ['v2'] },
      'admissionReviewVersions: Invalid value: []string{"v2"}: must include at least one of v1, v1beta1',
    ],
    [{ clientConfig: {} }, 'clientConfig: Required value: exactly one of url or service is required'],
    [
      { clientConfig: { url: 'http://h' } },
      'clientConfig.url: Invalid value: "http": \'https\' is the only allowed URL scheme; desired format: https://host[/path]',
    ],
    [
      { clientConfig: { url: 'https://u@h/p' } },
      'clientConfig.url: Invalid value: "u": user information is not permitted in the URL',
    ],
    [
      { clientConfig: { url: 'https:///p' } },
      'clientConfig.url: Invalid value: "": host must be provided; desired format: https://host[/path]',
    ],
    [
      { clientConfig: { service: { name: 's', namespace: 'd', path: '/a//b' } } },
      'clientConfig.service.path: Invalid value: "/a//b": segment[1] may not be empty',
    ],
    [{ rules: [{ ...rule, operations: [] }] }, 'rules[0].operations: Required value'],
    [
      { rules: [{ ...rule, operations: ['*', 'CREATE'] }] },
      'rules[0].operations: Invalid value: []admissionregistration.OperationType{"*", "CREATE"}: if \'*\' is present, must not specify other operations',
    ],
    [
      { rules: [{ ...rule, resources: ['*', 'pods'] }] },
      'rules[0].resources: Invalid value: []string{"*", "pods"}: if \'*\' is present, must not specify other resources without subresources',
    ],
    [
      { rules: [{ ...rule, resources: ['pods/*', 'pods/status'] }] },
      'rules[0].resources[1]: Invalid value: "pods/status": if \'pods/*\' is present, must not specify pods/status',
    ],
    [
      { rules: [{ ...rule, scope: 'Galaxy' }] },
      'rules[0].scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"',
    ],
  ])('is rejected with %j', (changes, text) => {
    expect(errorsOf(hook(changes))).toEqual([`webhooks[0].${text}`]);
  });

  it('requires a unique name', () => {
    expect(errorsOf(hook(), hook())).toEqual(['webhooks[1].name: Duplicate value: "a.b.c"']);
  });
});

it('a changed webhook increments the generation of its configuration', () => {
  const { object } = created(validatingWebhookConfigurations, body(hook()));
  const generation = (change: Parameters<typeof updated<typeof object>>[2]) =>
    updated(validatingWebhookConfigurations, object, change).object.metadata?.generation;
  expect(generation(() => {})).toBe(1);
  expect(generation((draft) => void (draft.webhooks = []))).toBe(2);
});
