import { describe, expect, it } from 'vitest';
import { orchVocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { createNegotiator } from './negotiation.ts';

const negotiate = createNegotiator(orchVocabulary);
const accept = (text: string) => {
  const { format, as } = negotiate({ accept: [text] });
  return as === undefined ? format : `${format} ${as.kind} ${as.version}`;
};

describe('content negotiation', () => {
  it('selects JSON if the client states no preference', () => {
    expect(negotiate({}).format).toBe('json');
    expect(accept('')).toBe('json');
    expect(accept('*/*')).toBe('json');
  });

  it('prefers the higher quality, then the first type', () => {
    expect(accept('application/json;q=0.5,application/yaml;q=0.9')).toBe('yaml');
    expect(accept('application/xml,application/json')).toBe('json');
    expect(accept('application/yaml, application/json')).toBe('yaml');
  });

  it('selects a Table or metadata alone if the client requests it', () => {
    expect(accept('application/json;as=Table;v=v1;g=meta.orch.io')).toBe('json Table v1');
    expect(accept('application/json;as=Table;v=v1beta1;g=meta.orch.io,application/json')).toBe(
      'json Table v1beta1',
    );
    expect(accept('application/json;as=PartialObjectMetadata;v=v1;g=meta.orch.io')).toBe(
      'json PartialObjectMetadata v1',
    );
  });

  it('ignores unknown forms if another one is accepted', () => {
    expect(accept('application/json;as=Nope;v=v1;g=meta.orch.io,application/json')).toBe('json');
  });

  it.each(['application/xml', 'text/html', 'application/*', 'application/json;as=Table;v=v9;g=meta.orch.io'])(
    'rejects %s with 406',
    (text) => {
      expect(() => accept(text)).toThrow(/Not Acceptable|only the following media types are accepted/);
    },
  );
});
