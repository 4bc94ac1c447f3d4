import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { api } from '../api/client.ts';
import { Problem } from '../layout/Problem.tsx';
import { withPrompts } from '../session/prompts.ts';

/** Sends a test event and opens its delivery. */
export const SendTest = ({ subscriptionId }: { subscriptionId: string }) => {
  const navigate = useNavigate();
  const request = useMutation({
    mutationFn: () => withPrompts(() => api.webhookSubscriptions.test(subscriptionId)),
    onSuccess: ({ _id }) => navigate({ to: '/deliveries/$deliveryId', params: { deliveryId: _id } }),
  });
  return (
    <>
      <Button onPress={() => request.mutate()} isPending={request.isPending}>
        Send test
      </Button>
      <Problem error={request.error} />
    </>
  );
};
