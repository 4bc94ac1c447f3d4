import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Zap } from 'lucide-react';
import { api } from '../api/client.ts';
import { ActionButton } from '../components/menus/ActionButton.tsx';
import { useIfShown } from '../components/states/if-shown.ts';
import { Problem } from '../components/states/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

/** Sends a test event to a subscription, by its id, and opens its delivery. */
export const useSendTest = () => {
  const navigate = useNavigate();
  const ifShown = useIfShown();
  return useMutation({
    mutationFn: (subscriptionId: string) => withPrompts(() => api.webhookSubscriptions.test(subscriptionId)),
    onSuccess: ({ _id }) =>
      ifShown(() => navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: _id } })),
  });
};

/** Sends a test event and opens its delivery. */
export const SendTest = ({ subscriptionId }: { subscriptionId: string }) => {
  const { error, isPending, mutateAsync } = useSendTest();
  return (
    <>
      <ActionButton request={{ isPending, mutateAsync: () => mutateAsync(subscriptionId) }}>
        <Zap aria-hidden="true" />
        Send test
      </ActionButton>
      <Problem error={error} />
    </>
  );
};
