import { defineKind } from '../kinds/kind.ts';
import { TokenReview } from '../types/authentication-v1.ts';

export const tokenReviews = defineKind<TokenReview>({
  group: 'authentication',
  version: 'v1',
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  virtual: true,
  schema: TokenReview,
});
