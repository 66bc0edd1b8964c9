import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { AdmissionPlugin } from '../request.ts';
import { refusal } from './refusal.ts';

const MESSAGE = 'admission control is denying all modifications';

/** Refuses every write and every connection; for tests and read-only servers. */
export const createAlwaysDeny = (vocabulary: Vocabulary): AdmissionPlugin => ({
  name: 'AlwaysDeny',
  operations: ['CREATE', 'UPDATE', 'DELETE', 'CONNECT'],
  mutates: () => false,
  async mutate(request) {
    throw refusal(request, vocabulary, MESSAGE);
  },
  async validate(request) {
    throw refusal(request, vocabulary, MESSAGE);
  },
});
