import { describe, expect, it } from 'vitest';
import { CREATED } from '../kinds/columns.ts';
import { customColumns } from './custom-columns.ts';

describe('the columns of a custom resource', () => {
  it('are Name and Age, described as those of other kinds, where its definition has none', () => {
    const [name, age, ...rest] = customColumns([]);
    expect([name?.name, rest]).toEqual(['Name', []]);
    expect(age).toMatchObject({ name: 'Age', type: 'date', description: CREATED });
  });

  it('say where they are taken from unless they are described', () => {
    const [, spec, described] = customColumns([
      { name: 'Spec', type: 'string', jsonPath: '.spec.a' },
      { name: 'Size', type: 'integer', jsonPath: '.spec.size', description: 'How many', priority: 1 },
    ]);
    expect(spec?.description).toBe('Custom resource definition column (in JSONPath format): .spec.a');
    expect(described).toMatchObject({ description: 'How many', priority: 1 });
  });
});
