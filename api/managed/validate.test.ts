import { describe, expect, test } from 'vitest';
import { shapeOf } from './shape.ts';
import { Thing } from './story.fixture.ts';
import { checkTyped } from './validate.ts';

const complaint = (spec: unknown): string => {
  try {
    checkTyped(shapeOf(Thing), { apiVersion: 'v1', kind: 'Thing', spec });
  } catch (thrown) {
    return (thrown as Error).message;
  }
  return '';
};

describe('checkTyped', () => {
  test.each([
    ['an unknown field', { bogus: 1 }, '.spec.bogus: field not declared in schema'],
    [
      'a string in place of a number',
      { replicas: 'x' },
      '.spec.replicas: expected numeric (int or float), got *value.valueUnstructured',
    ],
    [
      'a number in place of a string',
      { labels: { a: 5 } },
      '.spec.labels.a: expected string, got &value.valueUnstructured{Value:5}',
    ],
    ['a string in place of a boolean', { paused: 'x' }, '.spec.paused: expected boolean, got &{x}'],
    [
      'a map in place of a quantity',
      { limits: { cpu: {} } },
      '.spec.limits.cpu: expected any scalar, got &value.valueUnstructured{Value:map[string]interface {}{}}',
    ],
    ['a map in place of a list', { args: { a: 1 } }, '.spec.args: expected list, got &{map[a:1]}'],
    ['a list in place of a map', { labels: ['a', 'b'] }, '.spec.labels: expected map, got &{[a b]}'],
    [
      'a repeated item',
      { items: [{ key: 'y' }, { key: 'y' }] },
      '.spec.items: duplicate entries for key [key="y"]',
    ],
    ['a repeated member of a set', { tags: ['x', 'x'] }, '.spec.tags: duplicate entries for key [="x"]'],
    [
      'an item without its key',
      { items: [{ value: 'v' }] },
      '.spec.items: element 0: associative list with keys has an element that omits key field "key" (and doesn\'t have default value)',
    ],
    [
      'a null item',
      { items: [null] },
      '.spec.items: element 0: associative list with keys may not have a null element',
    ],
    [
      'a null member of a set',
      { tags: [null] },
      ".spec.tags: element 0: associative list without keys has an element that's an explicit null",
    ],
    [
      'several errors',
      { bogus: 1, replicas: 'x' },
      'errors:\n  .spec.bogus: field not declared in schema\n  .spec.replicas: expected numeric (int or float), got *value.valueUnstructured',
    ],
  ])('rejects a configuration with %s', (_name, spec, message) => {
    expect(complaint(spec)).toBe(message);
  });

  test.each([
    ['null in place of values', { replicas: null, labels: null, items: null, limits: { cpu: null } }],
    ['numbers as quantities', { limits: { cpu: 1 } }],
    ['an item without a key that has a default', { items: [{ key: 'x', ports: [{ port: 1 }] }] }],
    [
      'an item without a key whose zero value is always written',
      { items: [{ key: 'x', ports: [{ protocol: 'UDP' }] }] },
    ],
  ])('accepts a configuration with %s', (_name, spec) => {
    expect(complaint(spec)).toBe('');
  });
});
