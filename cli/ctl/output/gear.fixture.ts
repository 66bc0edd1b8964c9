/** Object with values of every JSON type. */
export const gear = {
  apiVersion: 'example.com/v1',
  kind: 'Gear',
  metadata: { name: 'a', labels: { app: 'web', tier: 'x' } },
  spec: {
    items: [
      { name: 'x', n: 1, tags: ['p', 'q'], m: { k: 'v' } },
      { name: 'y', n: 2.5, tags: [] },
      { name: 'z', n: 3_000_000, nested: [{ a: 1 }, { a: 2 }] },
    ],
    flag: true,
    html: '<a&b>',
    none: null,
    big: 9007199254740993n,
    f: 1e21,
    s: 'line\nbreak',
  },
};
