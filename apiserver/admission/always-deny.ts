import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { rejection } from './rejection.ts';

const MESSAGE = 'admission control is denying all modifications';

/** Creates a plugin that rejects every write and connection, for tests and read-only servers. */
export const createAlwaysDeny = (vocabulary: Vocabulary): AdmissionPlugin => ({
  name: 'AlwaysDeny',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  mutates: () => false,
  async mutate(request) {
    throw rejection(request, vocabulary, MESSAGE);
  },
  async validate(request) {
    throw rejection(request, vocabulary, MESSAGE);
  },
});
