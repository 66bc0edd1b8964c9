import { describe, expect, it } from 'vitest';
import { withoutManagedFields, withoutToken } from './redaction.ts';

describe('redaction of audit events', () => {
  it('removes a token anywhere in a query', () => {
    expect(withoutToken('/a?access_token=x&b=1')).toBe('/a?access_token=**REDACTED**&b=1');
    expect(withoutToken('/a?b=1&access_token=x')).toBe('/a?b=1&access_token=**REDACTED**');
    expect(withoutToken('/a?b=access')).toBe('/a?b=access');
    for (const name of ['token', 'id_token', 'access%5Ftoken', 'TOKEN'])
      expect(withoutToken(`/a?b=1&${name}=x&c`)).toBe(`/a?b=1&${name}=**REDACTED**&c`);
    expect(withoutToken('/a?tokens=1&continue=%zz')).toBe('/a?tokens=1&continue=%zz');
  });

  it('removes only managed fields', () => {
    const metadata = { name: 'a', managedFields: [{}] };
    expect(withoutManagedFields({ metadata: { ...metadata } })).toEqual({ metadata: { name: 'a' } });
    expect(withoutManagedFields({ items: [{ metadata: { ...metadata } }, 1] })).toEqual({
      items: [{ metadata: { name: 'a' } }, 1],
    });
    expect(withoutManagedFields({ rows: [{ object: { metadata: { ...metadata } } }, {}] })).toEqual({
      rows: [{ object: { metadata: { name: 'a' } } }, {}],
    });
    expect(withoutManagedFields([1])).toEqual([1]);
  });
});
